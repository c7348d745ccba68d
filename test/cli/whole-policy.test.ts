import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { wholePolicyText } from '../../src/policy/whole-policy.ts';
import { freshHome, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

function homeWith(user: User, change: Partial<Policy> = {}, mode = 0o600): string {
  const home = freshHome(user);
  const path = join(home, 'policy.json');
  const { uid, gid } = identityOf(user);
  writeFileSync(path, wholePolicyText({ ...DEFAULT_POLICY, ...change }));
  chownSync(path, uid, gid);
  chmodSync(path, mode);
  return home;
}

const set = (name: string) => [{ name: bytesOfText(name), value: bytesOfText('from-the-file'), origin: 'test' }];
const AUDIT = '.local/state/cordon/audit.jsonl';

describe.each(USERS)('a whole policy, as %s', (user) => {
  const run = (home: string, ...args: readonly string[]) =>
    runCordon(['run', '--policy', 'policy.json', ...args], { user, home, env: { API_TOKEN: 'canary', LANG: 'C' } });

  it('is carried out, with flags laid over it', () => {
    const home = homeWith(user, { set: set('MODE'), base: { preset: 'none', origin: 'test' } });
    const { code, stdout } = run(home, '--allow', 'LANG', '--', '/usr/bin/env');
    expect([code, stdout.trim().split('\n').toSorted()]).toEqual([0, ['LANG=C', 'MODE=from-the-file']]);
  });

  it('cannot be changed by the command it holds', () => {
    const home = homeWith(user, { filesystem: { ...DEFAULT_POLICY.filesystem, preset: 'all', explicit: true } });
    const { stdout } = run(
      home,
      '--',
      'sh',
      '-c',
      'echo x > there; echo x >> policy.json; echo x > new; mv new policy.json; echo tried',
    );
    expect(stdout).toBe('tried\n');
    expect(existsSync(join(home, 'there'))).toBe(true);
    expect(run(home, '--', 'true').code).toBe(0);
  });

  it('cannot set what no command may have', () => {
    expect(run(homeWith(user, { set: set('LD_PRELOAD') }), '--', 'env')).toMatchObject({
      ...{ code: 125, stdout: '' },
      stderr: expect.stringContaining('code-injection list'),
    });
  });

  it('is refused where others may have written it, and beside another start', () => {
    expect(run(homeWith(user, {}, 0o666), '--', 'true')).toMatchObject({ code: 125, stdout: '' });
    expect(run(homeWith(user), '--profile', 'locked', '--', 'true')).toMatchObject({
      ...{ code: 125, stderr: expect.stringContaining('--policy and --profile both say what to start from') },
    });
  });

  it('of another version is refused as such, whatever else it says', () => {
    const home = homeWith(user);
    writeFileSync(join(home, 'policy.json'), '{"version":9,"mode":"x"}');
    expect(run(home, '--', 'true')).toMatchObject({
      ...{ code: 125, stderr: expect.stringMatching(/^cordon: .*the version 9, not 1\n {2}hint: .*\n$/) },
    });
  });

  it('prove has no hidden command', () => {
    const { code, stderr } = runCordon(['prove', 'stage', 'policy.json', '--', 'env'], { user, home: homeWith(user) });
    expect([code, stderr]).toEqual([125, expect.stringContaining("prove takes no word such as 'stage'")]);
  });
});

describe.each(USERS)('a throw-away home, as %s', (user) => {
  const recorded = (...flags: readonly string[]) => {
    const home = freshHome(user);
    const { code } = runCordon(['run', ...flags, '--', 'sh', '-c', 'echo x > ~/.written'], { user, home, cwd: '/' });
    expect(code).toBe(0);
    const state = join(home, '.local/state/cordon');
    return {
      audit: existsSync(join(home, AUDIT)),
      kept: existsSync(state) ? readdirSync(state).includes('layers') : false,
    };
  };

  it('keeps nothing and records nothing', () => {
    expect(recorded('--throwaway-home')).toEqual({ audit: false, kept: false });
    expect(recorded()).toMatchObject({ audit: true, kept: true });
  });

  it('is the only home there is: of the user’s own nothing but Cordon’s policies and programs is there', () => {
    const seen = (...flags: readonly string[]) => {
      const look = ['sh', '-c', `find ~${user} -type f 2>/dev/null`];
      const { stdout } = runCordon(['run', ...flags, '--', ...look], { user, home: freshHome(user), cwd: '/' });
      return stdout.split('\n').filter((path) => path !== '' && !/\/cordon\//.test(path));
    };
    expect(seen('--throwaway-home')).toEqual([]);
    expect(seen()).not.toEqual([]);
  });

  it('is needed for it', () => {
    const ran = runCordon(['run', '--throwaway-home', '--', 'true'], { user, env: { HOME: '' } });
    expect(ran).toMatchObject({ code: 125, stderr: expect.stringContaining('--throwaway-home needs HOME') });
  });

  it('is not the home that the system knows of, whatever way leads there', () => {
    const [, , , , , own = ''] = execFileSync('getent', ['passwd', user], { encoding: 'utf8' }).split(':');
    const link = join(freshHome(user), 'link');
    symlinkSync(own, link);
    for (const HOME of [own, link]) {
      const ran = runCordon(['run', '--throwaway-home', '--', 'true'], { user, cwd: '/', env: { HOME } });
      expect(ran).toMatchObject({ code: 125, stderr: expect.stringContaining('HOME=$(mktemp -d) cordon run') });
    }
  });
});
