import { normalize } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_COPIES } from '../../../src/plan/places/compose.ts';
import { HIDDEN_IN_HOME } from '../../../src/plan/places/credentials.ts';
import { type Path, pathOf } from '../../../src/plan/places/facts.ts';
import { placeLines } from '../../../src/plan/plan.ts';
import type { FilesystemPolicy } from '../../../src/policy/policy.ts';
import { compose, HOME, inputFor, OWN, pathsAt } from './support.ts';

const name = fc.oneof(
  fc.constantFrom('..', '.', '', 'a', '.ssh', '.config', 'cordon', ' ', 'ü'),
  fc.string({ maxLength: 6 }),
);
const anyPath = fc
  .tuple(fc.constantFrom('/', `${HOME}/`, `${OWN.config}/`, '/tmp/', 'relative/'), fc.array(name, { maxLength: 4 }))
  .map(([start, names]) => `${start}${names.join('/')}`);
const paths = fc.array(anyPath, { maxLength: 4 });
const policy: fc.Arbitrary<Partial<FilesystemPolicy>> = fc.record({
  preset: fc.constantFrom('all', 'guarded', 'workspace', 'minimal'),
  explicit: fc.boolean(),
  read: paths,
  write: paths,
  hide: paths,
  expose: paths,
  show: paths,
  workspace: fc.record({ mode: fc.constantFrom('real', 'aside', 'read-only') }),
});
const env = fc.record(
  { HOME: anyPath, XDG_CONFIG_HOME: anyPath, XDG_STATE_HOME: anyPath, KUBECONFIG: anyPath, CARGO_HOME: anyPath },
  { requiredKeys: [] },
);
const use = fc.constantFrom(inputFor({}).use, { as: 'shim', files: NO_COPIES } as const);

const isPlain = (path: string) =>
  path.startsWith('/') && normalize(path) === path && (path === '/' || !path.endsWith('/')) && !path.includes('\0');

describe('whatever policy and environment say', () => {
  it('every path of a plan is absolute and plain, and every line can be read back', () => {
    fc.assert(
      fc.property(policy, env, use, (one, variables, as) => {
        const plan = compose({ policy: one, env: variables, input: { use: as } });
        const all = plan.flatMap((operation) => pathsAt([operation], operation.kind));
        expect(all.filter((path) => path !== 'here' && !isPlain(path))).toEqual([]);
        expect(placeLines(plan, 'hidden').filter((line) => /[\n\0]|^ | $/.test(line))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('Cordon’s own files are kept, last of all that says anything about files', () => {
    fc.assert(
      fc.property(policy, env, use, (one, variables, as) => {
        const plan = compose({ policy: one, env: variables, input: { use: as } });
        const { own } = inputFor({});
        const kept = plan.findLast(({ kind }) => kind === 'keep-out');
        expect(kept && pathsAt([kept], 'keep-out')).toEqual(own.out);
        expect(pathsAt(plan, 'keep-read')).toEqual(own.read);
        const after = plan.slice(plan.findIndex(({ kind }) => kind === 'keep-read') + 1).map(({ kind }) => kind);
        expect(
          after.filter((kind) => !['keep-out', 'proc', 'dev', 'ipc-host', 'aside', 'mention'].includes(kind)),
        ).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('no credential of the home is lost but one that the policy shows by its very path', () => {
    fc.assert(
      fc.property(policy, use, (one, as) => {
        fc.pre(one.preset !== 'all');
        const hidden = new Set(pathsAt(compose({ policy: one, input: { use: as } }), 'hide'));
        const shown = new Set(
          (one.show ?? []).flatMap((text): Path[] => (pathOf(text) === undefined ? [] : [pathOf(text) as Path])),
        );
        for (const place of HIDDEN_IN_HOME.flatMap(({ places }) => places)) {
          const path = `${HOME}/${place}` as Path;
          expect(hidden.has(path) || shown.has(path)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
