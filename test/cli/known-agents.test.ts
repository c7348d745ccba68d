import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KNOWN_PROGRAMS } from '../../src/agents/known.ts';
import { BUILT_IN_ADAPTERS } from '../../src/agents/registry.ts';
import { freshHome, runCordon } from '../support/cordon.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

const SCRIPT = `#!/bin/sh
echo "policy $CORDON"
[ -e "$HOME/.claude.json" ] && echo "settings are there"
[ -e "$HOME/.codex/auth.json" ] && echo "another's log-in is there"
exit 0
`;

function scene(user: User) {
  const home = freshHome(user);
  const bin = trustedFolder('agents');
  const work = join(home, 'work');
  const place = (path: string, text: string, mode = 0o644) => writeFileSync(path, text, { mode });
  for (const folder of ['work', 'work/.git', 'work/node_modules', 'work/node_modules/.bin', '.codex', '.claude'])
    mkdirSync(join(home, folder));
  place(join(bin, 'claude'), SCRIPT, 0o755);
  cpSync(join(bin, 'claude'), join(work, 'node_modules/.bin/claude'));
  place(join(home, '.claude.json'), '{}');
  place(join(home, '.codex/auth.json'), '{}');
  const { uid, gid } = identityOf(user);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCordon(args, { user, home, cwd: work, env: { PATH: `${bin}:/usr/bin:/bin`, ...env } });
  return { home, bin, work, run, uid, gid };
}

it('every known program is that of a built-in adapter, and all but the generic ones are known', () => {
  const adapters = BUILT_IN_ADAPTERS.filter(({ program }) => program !== 'sh').map(({ program, name }) => [
    program,
    name,
  ]);
  expect(Object.entries(KNOWN_PROGRAMS).toSorted()).toEqual(
    adapters.filter(([, name]) => name !== 'manager').toSorted(),
  );
});

it('the front leaves the same programs to the planner', () => {
  const source = readFileSync(new URL('../../native/src/kept.c', import.meta.url), 'utf8');
  const [, list = ''] = /is_known_agent[\s\S]*?known\[\] = \{([^}]*)\}/.exec(source) ?? [];
  expect([...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name).toSorted()).toEqual(
    Object.keys(KNOWN_PROGRAMS).toSorted(),
  );
});

describe.each(USERS)('a command that is a known agent, as %s', (user) => {
  it('gets the policy of the agent and says so in one line', () => {
    const { run } = scene(user);
    for (let i = 0; i < 3; i++) run(['run', '--', 'true']);
    const { stdout, stderr, code } = run(['run', '--', 'claude']);
    expect({ stdout, code }).toEqual({ stdout: 'policy agent claude\nsettings are there\n', code: 0 });
    expect(stderr).toBe('cordon: claude gets the policy of agent claude; --agent none for the usual one\n');
    expect(run(['run', '-q', '--', 'claude']).stderr).toBe('');
    expect(run(['run', '--', 'claude'], { CORDON_QUIET: '1' }).stderr).toBe('');
  });

  it.each([
    ['--agent', 'none'],
    ['--guard', 'strip'],
  ])('gets the usual one with %s %s', (...flags) => {
    const { run } = scene(user);
    const { stdout, stderr } = run(['run', ...flags, '--', 'claude']);
    expect({ stdout, stderr }).toEqual({ stdout: 'policy defaults\n', stderr: '' });
  });

  it('gets what a base, a profile or another agent says', () => {
    const { run } = scene(user);
    expect(run(['run', '--base', 'os-common', '--', 'claude']).stdout).toBe('policy \n');
    expect(run(['run', '--profile', 'default', '--', 'claude']).stdout).toBe('policy \n');
    expect(run(['run', '--agent', 'codex', '--', 'claude']).stdout).toContain("another's log-in is there");
  });

  it.each(['node_modules/.bin', 'tools'])('gets nothing from %s of the workspace, and a note', (folder) => {
    const { run, work, uid, gid } = scene(user);
    const path = join(work, folder, 'claude');
    if (folder === 'tools') {
      mkdirSync(join(work, folder));
      cpSync(join(work, 'node_modules/.bin/claude'), path);
      chownSync(path, uid, gid);
    }
    for (const [command, env] of [
      [path, {}],
      ['claude', { PATH: `${join(work, folder)}:/usr/bin:/bin` }],
    ] as const) {
      const { stdout, stderr } = run(['run', '--', command], env);
      expect(stdout).toBe('policy defaults\n');
      expect(stderr).toContain('gets no policy of agent claude, since a command could have put it there');
    }
  });

  it('in a visible prefix of npm, which may have been a workspace, is told where to have it instead', () => {
    const { run, work, home, uid, gid } = scene(user);
    const program = join(home, 'npm-global/lib/node_modules/claude/cli.js');
    mkdirSync(join(program, '..'), { recursive: true });
    mkdirSync(join(home, 'npm-global/bin'));
    cpSync(join(work, 'node_modules/.bin/claude'), program);
    symlinkSync('../lib/node_modules/claude/cli.js', join(home, 'npm-global/bin/claude'));
    execFileSync('chown', ['-R', `${uid}:${gid}`, join(home, 'npm-global')]);
    const { stdout, stderr } = run(['run', '--', 'claude'], { PATH: `${join(home, 'npm-global/bin')}:/usr/bin:/bin` });
    expect(stdout).toContain('policy defaults');
    expect(stderr).toContain('npm config set prefix ~/.npm-global');
  });

  it('a link to the workspace, or a program of another project, is nobody to trust either', () => {
    const { run, work, home, uid, gid } = scene(user);
    mkdirSync(join(home, '.local/bin'), { recursive: true });
    symlinkSync(join(work, 'node_modules/.bin/claude'), join(home, '.local/bin/claude'));
    mkdirSync(join(home, 'other/bin'), { recursive: true });
    cpSync(join(work, 'node_modules/.bin/claude'), join(home, 'other/bin/claude'));
    for (const repository of ['.dotfiles', 'bin']) {
      const folder = repository === 'bin' ? 'bin' : join(repository, 'bin');
      mkdirSync(join(home, folder), { recursive: true });
      mkdirSync(join(home, repository, '.git'));
      cpSync(join(work, 'node_modules/.bin/claude'), join(home, folder, 'claude'));
    }
    const made = ['other', '.local', '.dotfiles', 'bin'].map((folder) => join(home, folder));
    execFileSync('chown', ['-R', `${uid}:${gid}`, ...made]);
    for (const folder of ['.local/bin', 'other/bin', '.dotfiles/bin', 'bin']) {
      const { stderr } = run(['run', '--', 'claude'], { PATH: `${join(home, folder)}:/usr/bin:/bin` });
      expect(stderr, folder).toContain('gets no policy of agent claude');
    }
  });

  it('explain tells which policy it would get', () => {
    const { run } = scene(user);
    const [answer] = JSON.parse(run(['explain', '--json', '--', 'claude']).stdout);
    expect(answer).toMatchObject({ kind: 'command', origin: 'agent claude', change: { flag: '--agent none' } });
  });
});

describe.each(USERS)('what people set for their terminal, as %s', (user) => {
  const env = { EDITOR: 'vim', PAGER: 'less', VISUAL: 'vi', SSL_CERT_FILE: '/etc/ssl/cert.pem', OTHER: 'x' };
  const show = 'echo $CORDON,$EDITOR,$PAGER,$VISUAL,$SSL_CERT_FILE,$OTHER';

  it('passes in plain runs and for agents, and nowhere else', () => {
    const { run } = scene(user);
    const seen = (...flags: readonly string[]) => run(['run', ...flags, '--', 'sh', '-c', show], env).stdout.trim();
    expect(seen()).toBe('defaults,vim,less,vi,/etc/ssl/cert.pem,');
    expect(seen('--agent', 'claude')).toBe('agent claude,vim,less,vi,/etc/ssl/cert.pem,');
    expect(seen('--deny', 'EDITOR')).toBe('defaults,,less,vi,/etc/ssl/cert.pem,');
    expect(seen('--base', 'os-common')).toBe(',,,,,');
    expect(seen('--base', 'none', '--allow', '@terminal')).toBe(',vim,less,vi,/etc/ssl/cert.pem,');
    expect(seen('--profile', 'default')).toBe(',,,,,');
    expect(seen('--set', 'CORDON=mine')).toBe('mine,vim,less,vi,/etc/ssl/cert.pem,');
  });

  it('a file of certificates in the home is there to read', () => {
    const { run, home, uid, gid } = scene(user);
    const block = (what: string) => `-----BEGIN ${what}-----\nMIIB\n-----END ${what}-----\n`;
    const files = { 'company.pem': block('CERTIFICATE'), 'both.pem': block('PRIVATE KEY') + block('CERTIFICATE') };
    for (const [name, text] of Object.entries({ ...files, 'key.pem': block('RSA PRIVATE KEY'), notes: 'mine\n' })) {
      writeFileSync(join(home, name), text);
      chownSync(join(home, name), uid, gid);
    }
    const read = ['run', '--', 'sh', '-c', 'cat "$NODE_EXTRA_CA_CERTS"'];
    const seen = (name: string) => run(read, { NODE_EXTRA_CA_CERTS: join(home, name) }).stdout;
    expect(seen('company.pem')).toBe(block('CERTIFICATE'));
    expect(seen('both.pem')).toBe(block('CERTIFICATE'));
    expect([seen('key.pem'), seen('notes')]).toEqual(['', '']);
    symlinkSync('.claude.json', join(home, 'link.pem'));
    expect(run(read, { NODE_EXTRA_CA_CERTS: join(home, 'link.pem') }).stdout).toBe('');
  });
});

describe.each(USERS)('a credential file of a repository that is hidden, as %s', (user) => {
  it('is unreadable, so that git fails and commits nothing', () => {
    const home = freshHome(user);
    const { uid, gid } = identityOf(user);
    const work = join(home, 'work');
    const git = (...args: readonly string[]) => execFileSync('git', ['-C', work, ...args], { encoding: 'utf8' });
    mkdirSync(join(work, 'sub'), { recursive: true });
    writeFileSync(join(work, '.env'), 'A=1\n');
    execFileSync('git', ['init', '-q', work]);
    for (const [key, value] of [
      ['user.name', 'x'],
      ['user.email', 'x@example.com'],
      ['safe.directory', '*'],
    ] as const)
      git('config', key, value);
    git('add', '-A');
    git('commit', '-qm', 'first');
    writeFileSync(join(work, 'sub/file'), 'x');
    git('add', '-A');
    execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
    const options = { user, home, cwd: join(work, 'sub') };
    const hide = ['run', '--hide', join(work, '.env'), '--'];
    expect(runCordon([...hide, 'cat', '../.env'], options)).toMatchObject({ code: 1, stdout: '' });
    const committed = runCordon([...hide, 'git', 'commit', '-qam', 'second'], options);
    expect(committed.code, committed.stderr).not.toBe(0);
    expect(git('-c', 'safe.directory=*', 'log', '--format=%s')).toBe('first\n');
    expect(git('-c', 'safe.directory=*', 'show', 'HEAD:.env')).toBe('A=1\n');
  });
});
