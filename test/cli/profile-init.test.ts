import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, runCordon } from '../support/cordon.ts';

/** Plays a conversation on a pseudo-terminal: waits for each text, then types its answer. Prints the exit code and all that was shown. */
const PLAYER = `
import json, os, pty, select, sys
program, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execv(program[0], program)
shown = b''
seen = 0
def read():
    global shown
    if not select.select([fd], [], [], 20)[0]:
        sys.exit('nothing more was shown after: ' + shown.decode())
    try:
        data = os.read(fd, 4096)
    except OSError:
        data = b''
    shown += data
    return data
for expected, answer in steps:
    while expected.encode() not in shown[seen:]:
        if not read():
            sys.exit('ended before: ' + expected + ' in ' + shown.decode())
    seen = shown.index(expected.encode(), seen) + len(expected.encode())
    os.write(fd, answer.encode())
while read():
    pass
print(json.dumps({'code': os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 'shown': shown.decode()}))
`;

class Terminal {
  readonly home = freshHome('root');
  readonly cordonHome = join(this.home, 'cordon');

  env(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: this.home,
      CORDON_HOME: this.cordonHome,
      TERM: 'xterm',
      ...more,
    };
  }

  play(
    steps: readonly (readonly [string, string])[],
    more: Record<string, string> = {},
  ): { code: number; shown: string } {
    const program = [cordonProgram(), 'profile', 'init'];
    const args = ['-c', PLAYER, JSON.stringify(program), JSON.stringify(steps)];
    const { stdout, stderr } = spawnSync('python3', args, { cwd: this.home, env: this.env(more), encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { code: number; shown: string };
  }
}

describe('profile init on a terminal', () => {
  test('asks, offers the credentials that are set, takes them into the vault', () => {
    const terminal = new Terminal();
    const { code, shown } = terminal.play(
      [
        ['Which agent', 'claud-code\r'],
        ['did you mean claude-code?', ''],
        ['Which agent', 'claude-code\r'],
        ['called?', '\r'],
        ['work with?', 'node, python\r'],
        ['set here: MY_TOKEN', 'MY_TOKEN\r'],
        ['into the vault?', 'y\r'],
      ],
      { MY_TOKEN: 'tok-v4lue', PLAIN: 'x' },
    );
    expect(code, shown).toBe(0);
    expect(shown).not.toContain('tok-v4lue');
    expect(shown).not.toContain('PLAIN');
    const text = readFileSync(join(terminal.cordonHome, 'profiles', 'my-claude-code.jsonc'), 'utf8');
    expect(text).toContain('"extends": ["claude-code", "node-dev", "python-dev"]');
    const ran = runCordon(['run', '--profile', 'my-claude-code', '--isolation', 'filter', '--', '/usr/bin/env'], {
      env: terminal.env(),
    });
    expect(ran.stdout).toContain('MY_TOKEN=tok-v4lue\n');
  });

  test('leaves the vault alone when told so, and says what to do', () => {
    const terminal = new Terminal();
    const { code, shown } = terminal.play(
      [
        ['Which agent', 'none\r'],
        ['called?', 'mine\r'],
        ['work with?', '\r'],
        ['set here', 'MY_TOKEN\r'],
        ['into the vault?', 'n\r'],
      ],
      { MY_TOKEN: 'tok-v4lue' },
    );
    expect(code, shown).toBe(0);
    expect(shown).toContain('cordon creds set MY_TOKEN');
    expect(existsSync(join(terminal.cordonHome, 'state', 'vault'))).toBe(false);
  });

  test('asks before it writes over a profile; no means no', () => {
    const terminal = new Terminal();
    mkdirSync(join(terminal.cordonHome, 'profiles'), { recursive: true, mode: 0o700 });
    const path = join(terminal.cordonHome, 'profiles', 'mine.jsonc');
    writeFileSync(path, '{}');
    const { code } = terminal.play([
      ['Which agent', '\r'],
      ['called?', 'mine\r'],
      ['work with?', '\r'],
      ['credentials', '\r'],
      ['Write over it?', '\r'],
    ]);
    expect(code).toBe(125);
    expect(readFileSync(path, 'utf8')).toBe('{}');
  });

  test('ends at the end of input, and at Ctrl-C, with nothing written', () => {
    for (const key of ['\u0004', '\u0003']) {
      const terminal = new Terminal();
      const { code, shown } = terminal.play([
        ['Which agent', '\r'],
        ['called?', key],
      ]);
      expect(code, shown).toBe(125);
      expect(shown).toContain('nothing was written');
      expect(existsSync(join(terminal.cordonHome, 'profiles'))).toBe(false);
    }
  });
});
