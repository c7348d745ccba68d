import { CordonError } from '../host/errors.ts';

/** Where a command is to run instead of on this machine itself. */
export type ContainerTarget = ImageTarget | { readonly kind: 'container'; readonly name: string };

/** A container of its own, made of an image. */
export interface ImageTarget {
  readonly kind: 'image';
  readonly engine: EngineName;
  readonly name: string;
}

export type EngineName = 'podman' | 'docker';

/** What engines take for names; what begins with a dash would be one of their flags. */
const IMAGE = '[A-Za-z0-9][A-Za-z0-9_.\\-/:@]*';
const CONTAINER = '[A-Za-z0-9][A-Za-z0-9_.\\-]*';

/** For a schema, too. */
export const TARGET_PATTERN = `^((podman|docker):${IMAGE}|container:${CONTAINER})$`;
export const TARGET_EXPECTED = 'podman:IMAGE, docker:IMAGE or container:NAME';

export function readTarget(text: string): ContainerTarget | undefined {
  if (!new RegExp(TARGET_PATTERN).test(text)) return undefined;
  const colon = text.indexOf(':');
  const [way, name] = [text.slice(0, colon), text.slice(colon + 1)];
  return way === 'container' ? { kind: 'container', name } : { kind: 'image', engine: way as EngineName, name };
}

export function containerTarget(text: string, asker = '--in'): ContainerTarget {
  const target = readTarget(text);
  if (target === undefined)
    throw new CordonError('usage', `${asker} does not know '${text}'`, { hint: `it takes ${TARGET_EXPECTED}` });
  return target;
}

export const targetText = (target: ContainerTarget) =>
  `${target.kind === 'image' ? target.engine : 'container'}:${target.name}`;
