import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../prove/cell.ts';
import { excuseOf } from '../../prove/excuse.ts';
import { Ground } from '../../prove/ground.ts';
import { type Launcher, NOTHING, underPrefix } from '../../prove/launchers.ts';
import { onGround } from '../../prove/on-ground.ts';
import type { Probe } from '../../prove/probe.ts';
import { commitmentsOf } from '../../prove/promise.ts';
import { runProbes } from '../../prove/run.ts';
import type { Scene } from '../../prove/scene.ts';
import { relocate } from '../../src/cli/prove/relocate.ts';
import { NETWORK_OFF } from '../../src/policy/network/rules.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';

const PLAIN: Probe = {
  id: 'environment/made-up',
  title: 'made up',
  gives: 'nothing',
  planted: 'a variable',
  tried: 'printing it',
  reference: 'env(1)',
  promise: 'environment',
  env: ({ canary }) => ({ API_TOKEN: canary }),
  trial: () => ({ sh: 'echo "$API_TOKEN"' }),
};
const WHO = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
const COMMITMENTS = commitmentsOf(DEFAULT_POLICY, { ok: true, found: '' });

/** The cells of one probe: under nothing, and under each launcher. */
async function cellsOf(
  probe: Partial<Probe>,
  launchers: readonly Launcher[] = [],
  trialMs = 20_000,
): Promise<readonly Cell[]> {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  const ground = new Ground(folder, WHO);
  const [row] = await onGround(ground, ({ signal }) =>
    runProbes({
      ...{ probes: [{ ...PLAIN, ...probe }], launchers, commitments: COMMITMENTS, ground },
      limits: { trialMs, signal },
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
  return row?.cells ?? [];
}

describe('a probe', () => {
  it('that finds nothing with nothing around it does not apply, whoever else would stop it', async () => {
    const reason = 'finds nothing on this machine, even with nothing around it';
    const cells = await cellsOf({ env: () => ({}) }, [underPrefix({ prefix: 'env -i' })]);
    expect(cells).toEqual([
      { status: 'not applicable', reason },
      { status: 'not applicable', reason },
    ]);
  });

  it('that says why it does not apply is not planted', async () => {
    let planted = false;
    const inapplicable = () => 'there is no such thing';
    const plant = () => {
      planted = true;
    };
    expect(await cellsOf({ inapplicable, plant })).toEqual([
      { status: 'not applicable', reason: 'there is no such thing' },
    ]);
    expect(planted).toBe(false);
  });

  it('that cannot be planted says so, without the value or the place', async () => {
    const plant = ({ canary, home }: Scene) => {
      throw new Error(`${home}/x: ${canary} ${Buffer.from(canary).toString('hex')}\x1b[0m`);
    };
    expect(await cellsOf({ plant })).toEqual([{ status: 'not applicable', reason: '~/x: *** ***\\x1b[0m' }]);
  });

  it('that takes too long is ended with all it started', async () => {
    let home = '';
    const trial = (scene: Scene) => {
      home = scene.home;
      return { sh: 'sleep 600 & exec sleep 600' };
    };
    expect(await cellsOf({ trial }, [], 300)).toEqual([{ status: 'not applicable', reason: 'took longer than 0.3 s' }]);
    expect(existsSync(home)).toBe(false);
  });

  it('tells other launchers the hosts and the credential that it is about, and those of no other', async () => {
    const told =
      'sh -c \'test "$CORDON_PROVE_HOSTS $CORDON_PROVE_BROKER" = "a.example=127.0.0.1:1 b API_TOKEN@a.example"\' sh';
    const about = { hosts: () => ['a.example=127.0.0.1:1', 'b'], brokered: { API_TOKEN: 'a.example' } };
    const worked = (_: Scene, { code }: { code: number | null }) => code === 0;
    const ran = async (probe: Partial<Probe>) => {
      const launchers = [underPrefix({ prefix: told })];
      return (await cellsOf({ trial: () => ({ argv: ['true'] }), worked, ...probe }, launchers)).at(1)?.status;
    };
    expect(await ran(about)).toBe('leaked');
    expect(await ran({})).toBe('blocked');
  });

  it('that is blocked ran to its end', async () => {
    const cells = await cellsOf({}, [underPrefix({ prefix: 'env -u API_TOKEN' }), underPrefix({ prefix: 'true' })]);
    expect(cells.map(({ status }) => status)).toEqual(['leaked', 'blocked', 'not applicable']);
  });
});

describe('what is let through on purpose', () => {
  const among = (parts: readonly string[], culprits: readonly string[], bare = 'blocked'): Launcher => ({
    ...NOTHING,
    loosened: {
      by: parts,
      without: (these) => {
        const left = parts.filter((part, i) => !these.has(i) && culprits.includes(part));
        const some = left.length > 0 ? 'leaked' : 'blocked';
        return { ...NOTHING, title: these.size === parts.length ? bare : some };
      },
    },
  });
  const retry = async ({ title }: Launcher) => title as Cell['status'];
  const PARTS = ['a', 'b', 'c', 'd', 'e'];

  it.each(PARTS)('is found among many: %s', async (part) => {
    expect(await excuseOf(among(PARTS, [part]), retry)).toBe(part);
  });

  it('is said of several where several do it', async () => {
    expect(await excuseOf(among(PARTS, ['b', 'd']), retry)).toBe('several of its rules');
  });

  it('is no excuse where it leaks without any of them', async () => {
    expect(await excuseOf(among(PARTS, [], 'leaked'), retry)).toBeUndefined();
    expect(await excuseOf(NOTHING, retry)).toBeUndefined();
  });

  it('is looked for one by one where nothing starts without all of them', async () => {
    expect(await excuseOf(among(PARTS, ['c'], 'not applicable'), retry)).toBe('c');
    expect(await excuseOf(among(PARTS, ['b', 'c'], 'not applicable'), retry)).toBeUndefined();
  });
});

describe('what a policy promises', () => {
  const held = (change: Partial<Policy>, ok = true) =>
    Object.entries(commitmentsOf({ ...DEFAULT_POLICY, ...change }, { ok, found: 'no bubblewrap' }))
      .filter(([, commitment]) => commitment.held)
      .map(([name]) => name);
  const fs = (preset: Policy['filesystem']['preset'], explicit = true) => ({
    filesystem: { ...DEFAULT_POLICY.filesystem, preset, explicit },
  });

  const DEFAULT = ['environment', 'processes', 'credentials', 'planting', 'own-files', 'broker'];

  it('is more with each protection', () => {
    expect(held({ isolation: 'filter' })).toEqual(['environment']);
    expect(held({}, false)).toEqual(['environment']);
    expect(held(fs('all'))).toEqual(['environment', 'processes', 'own-files', 'broker']);
    expect(held({})).toEqual(DEFAULT);
    for (const network of [
      NETWORK_OFF,
      { ...NETWORK_OFF, mode: 'names' as const },
      { ...NETWORK_OFF, mode: 'ask' as const },
    ])
      expect(held({ network })).toEqual(DEFAULT.toSpliced(-1, 0, 'network'));
    expect(held({ network: { ...NETWORK_OFF, mode: 'learn' } })).toEqual(DEFAULT);
    expect(held(fs('workspace'))).toEqual([...DEFAULT, 'home']);
  });

  it('stands where a policy never degrades, barrier or not', () => {
    for (const change of [fs('all'), { isolation: 'barrier' as const }, { network: NETWORK_OFF }])
      expect(held(change, false)).toContain('processes');
  });
});

describe('paths of a policy', () => {
  const scene = { home: '/scene/1', work: '/scene/1/work' } as Scene;
  it.each([
    ['/home/u', '/home/u/app', '/home/u/.ssh', '/scene/1/.ssh'],
    ['/home/u', '/home/u/app', '/home/u/app/.env', '/scene/1/work/.env'],
    ['/home/u', '/home/u/app', '/home/u/apple', '/scene/1/apple'],
    ['/home/u', '/home/u', '/home/u/.ssh', '/scene/1/.ssh'],
    ['/home/u', '/home', '/home/u/.ssh', '/scene/1/.ssh'],
    ['/home/u', '/', '/usr/bin', '/usr/bin'],
    ['/home/u', '/srv/app', '/srv/app', '/scene/1/work'],
    ['/home/u', '/srv/app', '/home/ulf', '/home/ulf'],
  ])('home %s, working folder %s: %s is %s', (home, workdir, path, expected) => {
    expect(relocate(path, { homes: [home], workdir }, scene)).toBe(expected);
  });
});
