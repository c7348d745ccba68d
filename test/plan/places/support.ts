import { bytesOfText } from '../../../src/host/bytes.ts';
import { ParentEnv } from '../../../src/host/parent-env.ts';
import { ownPlaces, type PlacesInput, placesOf } from '../../../src/plan/places/compose.ts';
import { factsOf, pathsOf } from '../../../src/plan/places/facts.ts';
import type { Operation } from '../../../src/plan/places/operation.ts';
import { DEFAULT_POLICY, type FilesystemPolicy } from '../../../src/policy/policy.ts';

export const HOME = '/home/ada';

export const OWN = {
  config: `${HOME}/.config/cordon`,
  state: `${HOME}/.local/state/cordon`,
  bin: `${HOME}/.local/share/cordon/bin`,
};

export interface Case {
  readonly policy?: Partial<FilesystemPolicy>;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Partial<PlacesInput>;
}

/** Facts of an ordinary user; the home that the real user database knows of is left out. */
export function inputFor({ env = {}, input = {} }: Case): PlacesInput {
  const facts = factsOf(ParentEnv.fromRecord({ HOME, PATH: '/usr/bin', ...env }));
  return {
    ...facts,
    homes: pathsOf([env.HOME ?? HOME]).filter((path) => path !== '/'),
    own: ownPlaces({
      homes: [OWN],
      program: ['/opt/cordon'],
      policyFiles: ['/srv/p.json'],
      secretFiles: [],
      layers: undefined,
      state: undefined,
    }),
    links: new Map([['/bin', 'usr/bin']]),
    aside: undefined,
    use: { as: 'run', files: { copies: [], absent: [] } },
    ...input,
  };
}

export function compose(one: Case = {}): Operation[] {
  return placesOf({ ...DEFAULT_POLICY.filesystem, ...one.policy }, inputFor(one));
}

/** All paths that operations of one kind name, in their order. */
export function pathsAt(operations: readonly Operation[], kind: Operation['kind']): string[] {
  return operations.flatMap((one): readonly string[] => {
    if (one.kind !== kind) return [];
    if ('paths' in one) return one.paths;
    return 'path' in one ? [one.path] : [];
  });
}

export const kindsOf = (operations: readonly Operation[]) => operations.map(({ kind }) => kind);

export const textCopy = (path: string, text: string) => ({
  path: pathsOf([path])[0] as ReturnType<typeof pathsOf>[number],
  text: bytesOfText(text),
});
