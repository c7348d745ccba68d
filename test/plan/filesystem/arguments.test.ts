import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM } from '../../../src/plan/filesystem/credentials.ts';
import { FROZEN_IN_HOME } from '../../../src/plan/filesystem/frozen.ts';
import { mountArguments } from '../../../src/plan/filesystem/index.ts';
import { otherNames, otherProcMounts, parseMounts } from '../../../src/plan/filesystem/mounts.ts';
import { depthOf, foldersAbove, isWithin } from '../../../src/plan/filesystem/paths.ts';
import { SOCKETS } from '../../../src/plan/filesystem/sockets.ts';
import type { Cover, FsSurvey } from '../../../src/plan/filesystem/types.ts';

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/h/${parts.join('/')}`);
const cover: fc.Arbitrary<Cover> = fc.record({
  path,
  kind: fc.constant('dir' as const),
  access: fc.constantFrom('hidden', 'readonly', 'writable'),
  speaker: fc.constantFrom('cordon', 'policy', 'preset'),
  why: fc.constant('test'),
});
const survey = (covers: readonly Cover[]): FsSurvey => ({
  ground: [['--bind', '/', '/']],
  procReadOnly: [],
  sys: true,
  covers,
  renamable: new Set(covers.flatMap((one) => foldersAbove(one.path))),
  placeholders: [],
  blank: '/dev/null',
  workspace: '/w',
  expect: [],
  notes: [],
});

describe('mount arguments', () => {
  const mounts = (covers: readonly Cover[]) =>
    mountArguments(survey(covers)).sandbox.filter(([option]) => option !== '--remount-ro');
  const target = (step: readonly string[]) => step.at(-1) ?? '';

  it('begin with the root, /dev, /proc and /sys, and go from the outside in, one a path', () => {
    fc.assert(
      fc.property(fc.array(cover, { maxLength: 12 }), (covers) => {
        const steps = mounts(covers).map(target);
        expect(steps.slice(0, 4)).toEqual(['/', '/dev', '/proc', '/sys']);
        const rest = steps.slice(4).map(depthOf);
        expect(rest).toEqual(rest.toSorted((a, b) => a - b));
        expect(new Set(steps).size).toBe(steps.length);
      }),
    );
  });

  it('never show anything below what Cordon hides, nor below a hidden folder what the policy does not name', () => {
    fc.assert(
      fc.property(fc.array(cover, { maxLength: 12 }), (covers) => {
        const { hidden, sandbox } = mountArguments(survey(covers));
        for (const { path: folder } of hidden) {
          const owner = covers.filter((one) => one.path === folder && one.access === 'hidden');
          const below = sandbox.filter(
            (step) =>
              target(step) !== folder &&
              isWithin(target(step), folder) &&
              ['--bind', '--ro-bind'].includes(step[0] ?? ''),
          );
          for (const step of below) {
            const said = covers.filter(
              (one) => one.path === target(step) && (one.access === 'readonly' || one.access === 'writable'),
            );
            const above = owner.some(({ speaker }) => speaker === 'cordon')
              ? ['cordon', 'policy']
              : ['policy', 'cordon'];
            expect(said.length === 0 || said.some(({ speaker }) => above.includes(speaker))).toBe(true);
          }
        }
      }),
    );
  });

  it('pin every folder above what is hidden or frozen', () => {
    fc.assert(
      fc.property(fc.array(cover, { maxLength: 8 }), (covers) => {
        const { hidden, frozen, sandbox } = mountArguments(survey(covers));
        const mounted = new Set(sandbox.map(target));
        const shut = [...hidden, ...frozen].map((one) => one.path);
        for (const one of shut) {
          for (const above of foldersAbove(one))
            expect(mounted.has(above) || shut.some((other) => isWithin(above, other))).toBe(true);
        }
      }),
    );
  });
});

describe('the lists', () => {
  const inHome = [
    ...HIDDEN_IN_HOME.flatMap(({ places }) => places),
    ...FROZEN_IN_HOME.flatMap(({ places }) => places.map((place) => place.path)),
  ];
  const absolute = [...HIDDEN_IN_SYSTEM, ...SOCKETS].flatMap(({ places }) => places);

  it('name plain places, each once', () => {
    expect(
      inHome.filter((place) => place.startsWith('/') || place.endsWith('/') || place.split('/').includes('..')),
    ).toEqual([]);
    expect(absolute.filter((place) => !place.startsWith('/'))).toEqual([]);
    for (const list of [inHome, absolute])
      expect(list.filter((place, index) => list.indexOf(place) !== index)).toEqual([]);
  });

  it('give a reason for each', () => {
    for (const { why, places } of [...HIDDEN_IN_HOME, ...HIDDEN_IN_SYSTEM, ...SOCKETS, ...FROZEN_IN_HOME]) {
      expect([why.length > 2, places.length > 0]).toEqual([true, true]);
    }
  });
});

describe('the mount table', () => {
  const mounts = parseMounts(
    [
      '22 27 0:21 / /proc rw - proc proc rw',
      '23 22 0:21 /sys /proc/sys ro - proc proc rw',
      '27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
      '30 27 0:40 / /srv/a\\040b/proc rw - proc proc rw',
      '31 27 254:0 /home /mnt/homes rw - ext4 /dev/vda rw',
      '32 27 254:0 /home/u/.ssh/keys /mnt/keys rw - ext4 /dev/vda rw',
      '33 27 254:1 /home /mnt/other rw - ext4 /dev/vdb rw',
    ].join('\n'),
  );

  it('tells of every other procfs', () => {
    expect(otherProcMounts(mounts)).toEqual(['/srv/a b/proc']);
  });

  it('tells the other names of a file', () => {
    expect(otherNames('/home/u/.ssh', mounts)).toEqual(['/mnt/homes/u/.ssh', '/mnt/keys']);
    expect(otherNames('/mnt/homes/u/.ssh', mounts)).toEqual(['/home/u/.ssh', '/mnt/keys']);
    expect(otherNames('/etc/x', mounts)).toEqual([]);
  });
});
