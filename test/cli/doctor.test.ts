import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { without } from '../native/support.ts';
import { cordonProgram, freshHome, type Ran, runAs } from '../support/cordon.ts';

const USER = 'cordon-test';

interface Findings {
  readonly level: string;
  readonly findings: readonly { check: string; state: string; found: string; fix?: string }[];
}

const ENV = { PATH: `${dirname(cordonProgram())}:/usr/local/bin:/usr/bin:/bin`, TERM: 'dumb' };

/** Doctor on another machine: `through` makes this one look like it. */
function examine(through: readonly string[], env: Readonly<Record<string, string>> = {}, home = freshHome(USER)) {
  const [program, ...args] = [...through, 'cordon', 'doctor'];
  const run = (...more: string[]): Ran =>
    runAs('env', [program as string, ...args, ...more], { user: USER, home, env: { ...ENV, ...env } });
  const { level, findings } = JSON.parse(run('--json').stdout) as Findings;
  return { level, of: (check: string) => findings.find((one) => one.check === check), text: run().stdout };
}

const BARE = ['bwrap', '--dev-bind', '/', '/'];

describe('cordon doctor', () => {
  it('says what to try where everything is there', () => {
    const { level, of, text } = examine([]);
    expect(level).toBe('barrier');
    expect(of('barrier')).toMatchObject({ state: 'ok' });
    expect(text).toMatch(/protects at level: barrier\nTry it: cordon run -- env\n$/);
  });

  it('says where too little memory may be locked for what is brokered', () => {
    const { of } = examine(['prlimit', '--memlock=65536:65536']);
    expect(of('memory')).toMatchObject({ state: 'weaker', found: 'only 64 KiB of it may be locked' });
    expect(examine([]).of('memory')).toBeUndefined();
  });

  it('names what to try by its path where its name starts nothing', () => {
    const home = freshHome(USER);
    const { stdout } = runAs(cordonProgram(), ['doctor'], { user: USER, home });
    const [, line = ''] = /\nTry it: (.*)\n$/.exec(stdout) ?? [];
    expect(line).toBe(`${cordonProgram()} run -- env`);
    expect(runAs('/bin/sh', ['-c', line], { user: USER, home }).code).toBe(0);
  });

  it('tells how to install bubblewrap where it is the way left, with sudo for who is not root', () => {
    const { level, of, text } = examine([
      ...[...BARE, '--ro-bind', '/dev/null', '/usr/bin/bwrap'],
      ...without('userns'),
    ]);
    expect(level).toBe('filter');
    expect(of('barrier')).toMatchObject({ state: 'missing', found: expect.stringContaining('user namespaces') });
    expect(of('barrier')?.fix).toMatch(/^sudo \S+ .*bubblewrap$/);
    expect(text).toContain('then run cordon doctor again');
  });

  it('does not tell to install what is installed, where namespaces cannot be made', () => {
    const { level, of } = examine([...BARE, '--unshare-user', '--disable-userns']);
    expect(level).toBe('filter');
    expect(of('barrier')).toMatchObject({
      state: 'missing',
      found: expect.stringContaining('namespaces could not be made'),
    });
    expect(of('barrier')?.fix).not.toContain('install');
    expect(of('barrier')?.fix).toMatch(/in a container|sysctl -w/);
  });

  it('leads to shims that are found: its command prints the line that does it', () => {
    const home = freshHome(USER);
    const type = (script: string) => runAs('bash', ['-ec', script], { user: USER, home, env: ENV });
    type('cordon tool config make env base os-common');
    const before = examine([], {}, home);
    expect(before.of('tools')).toMatchObject({ state: 'weaker', fix: 'cordon tool path' });
    expect(before.text).toMatch(/not run under their policies yet: see above\.\n$/);
    const after = type('eval "$(cordon tool path bash)"; cordon doctor');
    expect(after.stdout).toMatch(/^ok +tools +1 in /m);
    expect(after.stdout).toMatch(/Try it: cordon run -- env\n$/);
  });

  it('does not tell to make a folder where none can be made', () => {
    const { of } = examine([], { XDG_STATE_HOME: '/proc/nowhere' });
    expect(of('audit')).toMatchObject({ state: 'weaker', fix: expect.stringContaining('XDG_STATE_HOME') });
  });

  it('tells how to build the launcher where it is not built, with a script that is there', () => {
    const { of } = examine([...BARE, '--tmpfs', join(dirname(dirname(cordonProgram())), 'dist', 'native')]);
    expect(of('launcher')).toMatchObject({ state: 'missing', found: 'not built' });
    expect(of('launcher')?.fix).toMatch(/ && (sudo )?node \/.*\/scripts\/install-native\.mjs$/);
  });
});
