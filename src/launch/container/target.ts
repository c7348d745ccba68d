import { CordonError } from '../../host/errors.ts';

/** Where a command is to run instead of on this machine itself. */
export type ContainerTarget =
  | { readonly kind: 'image'; readonly engine: EngineName; readonly name: string }
  | { readonly kind: 'container'; readonly name: string };

export type EngineName = 'podman' | 'docker';

/** What engines take for names; what begins with a dash would be one of their flags. */
const IMAGE = /^[A-Za-z0-9][\w.\-/:@]*$/;
const CONTAINER = /^[A-Za-z0-9][\w.-]*$/;

const WAYS = 'podman:IMAGE, docker:IMAGE or container:NAME';

export function containerTarget(text: string): ContainerTarget {
  const colon = text.indexOf(':');
  const [way, name] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  if (way === 'container' && CONTAINER.test(name)) return { kind: 'container', name };
  if ((way === 'podman' || way === 'docker') && IMAGE.test(name)) return { kind: 'image', engine: way, name };
  throw new CordonError('usage', `--in does not know '${text}'`, { hint: `it takes ${WAYS}` });
}

export const targetText = (target: ContainerTarget) =>
  `${target.kind === 'image' ? target.engine : 'container'}:${target.name}`;
