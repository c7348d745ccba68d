import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram, freshHome, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

interface Scene {
  readonly home: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
}

function scene(user: User, files: Readonly<Record<string, string>> = {}): Scene {
  const home = freshHome(user);
  const work = join(home, 'work');
  const { uid, gid } = identityOf(user);
  mkdirSync(work);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  chownSync(home, uid, gid);
  return { home, work, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TERM: 'dumb' } };
}

/** Types lines into `cordon shell` on a terminal of its own, each once the shell shows a prompt, and gives all that was shown. */
function typed(user: User, { work, env }: Scene, lines: readonly string[], flags: readonly string[] = []): string {
  const { uid, gid } = identityOf(user);
  const script = `import os, pty, sys, json, select
argv, lines = json.loads(sys.argv[1]), json.loads(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.setgid(${gid}); os.setuid(${uid}); os.chdir(${JSON.stringify(work)})
    os.execve(argv[0], argv, json.loads(sys.argv[3]))
shown = b''
def read():
    global shown
    try: part = os.read(fd, 65536)
    except OSError: return False
    shown += part
    return len(part) > 0
for number, line in enumerate(lines + ['exit 7'], 1):
    while shown.count(b'(cordon: ') < number and read(): pass
    os.write(fd, line.encode() + b'\\n')
while read(): pass
print(shown.decode(errors='replace'))
print('exit', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;
  const argv = [cordonProgram(), 'shell', ...flags];
  const words = [argv, lines, env].map((value) => JSON.stringify(value));
  return execFileSync('python3', ['-c', script, ...words], { encoding: 'utf8', timeout: 60_000 }).replaceAll('\r', '');
}

describe.each(USERS)('cordon shell as %s', (user) => {
  it('is an interactive bash with its own settings, whose prompt names the policy, behind the barrier', () => {
    const made = scene(user, {
      '.bashrc': "PS1='mine> '\nalias hi='echo hello from an alias'\nexport MY_TOKEN=CANARY\n",
    });
    const env = { ...made.env, SHELL: '/bin/bash', SECRET_TOKEN: 'CANARY', EDITOR: 'vim' };
    const shown = typed(user, { ...made, env }, [
      'hi',
      'echo "<$SECRET_TOKEN$MY_TOKEN>$EDITOR"',
      'echo kept > here.txt; echo aside > ~/elsewhere.txt',
    ]);
    expect(shown).toContain('(cordon: defaults) mine> ');
    expect(shown).toContain('hello from an alias');
    expect(shown).toContain('<>vim');
    expect(shown).not.toContain('CANARY');
    expect(shown).toContain('exit 7');
    expect(readFileSync(join(made.work, 'here.txt'), 'utf8')).toBe('kept\n');
    expect(existsSync(join(made.home, 'elsewhere.txt'))).toBe(false);
  });

  it('has a prompt of its own in sh and in a shell that is not known, and takes policy flags', () => {
    const made = scene(user);
    for (const shell of ['/bin/sh', '/usr/bin/dash']) {
      const shown = typed(
        user,
        { ...made, env: { ...made.env, SHELL: shell } },
        ['echo "$0 <$HOME>"'],
        ['--base', 'none'],
      );
      expect(shown).toContain('(cordon: defaults) $ ');
      expect(shown).toContain(' <>');
    }
  });

  it('takes no command, and is recorded like a run', () => {
    const { home, work, env } = scene(user);
    expect(runCordon(['shell', 'ls'], { user, home, cwd: work })).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('shell takes no command'),
    });
    const ran = runCordon(['shell'], {
      user,
      home,
      cwd: work,
      env: { ...env, SHELL: '/bin/sh' },
      input: 'echo in; exit 4\n',
    });
    expect(ran).toMatchObject({ code: 4, stdout: expect.stringContaining('in\n') });
    const [record] = JSON.parse(runCordon(['audit', '--json'], { user, home, cwd: work }).stdout);
    expect(record).toMatchObject({ exit: 4, policy: 'defaults' });
  });
});
