import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram, freshHome, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** What a day of ordinary work met (L4, L8, L12, L21): each stays fixed. */

function homeWith(user: User, files: Readonly<Record<string, string>> = {}): string {
  const home = freshHome(user);
  for (const [name, text] of Object.entries({ 'work/a.txt': 'a\n', ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const { uid, gid } = identityOf(user);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  return home;
}

describe.each(USERS)('living with it, as %s', (user) => {
  it('cordon starts inside cordon, also with exports in the start-up files', () => {
    const home = homeWith(user, { '.profile': 'export DEPLOY_TOKEN=CANARY\nexport PATH="$PATH"\n' });
    const options = { user, home, cwd: join(home, 'work'), env: { PATH: `${dirname(cordonProgram())}:/usr/bin:/bin` } };
    const inner = ['run', '--', 'sh', '-lc', 'echo "inside <$DEPLOY_TOKEN>"'];
    const ran = runCordon(['run', '--read', dirname(dirname(cordonProgram())), '--', 'cordon', ...inner], options);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: 'inside <>\n' });
  });

  it('nothing appears in the real home while a command runs, nor afterwards, whatever it writes there', async () => {
    const home = homeWith(user);
    runCordon(['run', '--', 'true'], { user, home, cwd: join(home, 'work') });
    const before = readdirSync(home).toSorted();
    const { uid, gid } = identityOf(user);
    const script =
      'touch ~/.zshrc ~/.gitconfig; mkdir -p ~/bin ~/.docker; git config --global user.name x; echo ready; read line';
    const child = spawn(cordonProgram(), ['run', '--', 'sh', '-c', script], {
      uid,
      gid,
      cwd: join(home, 'work'),
      env: { PATH: '/usr/bin:/bin', HOME: home },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    expect(readdirSync(home).toSorted()).toEqual(before);
    child.stdin?.end('go\n');
    await once(child, 'close');
    expect(readdirSync(home).toSorted()).toEqual(before);
  });

  it('explain and --dry-run fit 80 columns, cut nothing, and tell places and network in a few lines', () => {
    const home = homeWith(user);
    const show = (...args: readonly string[]) => onTerminal(user, home, args);
    for (const shown of [show('explain'), show('run', '--net', 'off', '--dry-run', '--', 'true')]) {
      expect(shown.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
      expect(shown).not.toContain('…');
    }
    const rehearsed = runCordon(['run', '--net', 'off', '--dry-run', '--', 'true'], {
      user,
      home,
      cwd: join(home, 'work'),
    });
    expect(rehearsed.stdout).toMatch(/network/i);
    expect(rehearsed.stdout).not.toContain('--ro-bind');
    expect(rehearsed.stdout.split('\n').length).toBeLessThan(40);
  });

  it('run --json without --dry-run or --trace is refused, not ignored', () => {
    const { code, stderr } = runCordon(['run', '--json', '--', 'touch', 'started'], { user, home: homeWith(user) });
    expect(code).toBe(125);
    expect(stderr).toContain('--json goes with --dry-run or --trace');
  });
});

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** On a terminal that does not know its size, which then is 80 columns wide. */
function onTerminal(user: User, home: string, args: readonly string[]): string {
  const { uid, gid } = identityOf(user);
  const env = { HOME: home, PATH: '/usr/bin:/bin', TERM: 'xterm', SOME_TOKEN: 'x', A_VARIABLE_WITH_A_LONG_NAME: 'y' };
  const script = `import os, pty
os.setgid(${gid}); os.setuid(${uid}); os.chdir(${JSON.stringify(join(home, 'work'))})
os.environ.clear(); os.environ.update(${JSON.stringify(env)})
pty.spawn(${JSON.stringify([cordonProgram(), ...args])})`;
  return execFileSync('python3', ['-c', script], { encoding: 'utf8' }).replaceAll('\r', '').replaceAll(COLOURS, '');
}
