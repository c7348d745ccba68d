import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

const LOGGED_IN = `https://${['ada', 'CANARY'].join(':')}@`;
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n';

const FILES: Readonly<Record<string, string>> = {
  '.npmrc': '@corp:registry=https://npm.corp.example/\n//npm.corp.example/:_authToken=CANARY\nignore-scripts=true\n',
  '.yarnrc.yml': 'npmRegistryServer: "https://npm.corp.example"\nnpmAuthToken: CANARY\n',
  '.config/pip/pip.conf': `[global]\nindex-url = ${LOGGED_IN}pypi.corp.example/simple\ncert = ~/corp.pem\n`,
  '.gitconfig': '[user]\n\tname = Ada\n[include]\n\tpath = .gitconfig-work\n[github]\n\ttoken = CANARY\n',
  '.gitconfig-work': '[user]\n\temail = ada@work.example\n[http]\n\textraHeader = Authorization: CANARY\n',
  '.config/gh/config.yml': 'git_protocol: ssh\n',
  '.config/gh/hosts.yml': 'github.com:\n    oauth_token: CANARY\n',
  '.docker/config.json': '{"auths":{"r.example":{"auth":"CANARY"}},"currentContext":"work"}',
  '.kube/config': 'current-context: dev\nusers:\n- name: ada\n  user:\n    token: CANARY\n',
  '.cargo/config.toml': '[registries.corp]\nindex = "https://cargo.corp.example"\ntoken = "CANARY"\n',
  '.m2/settings.xml':
    '<settings><servers><server><password>CANARY</password></server></servers><offline>true</offline></settings>\n',
  '.ssh/config': 'Host work\n  Port 2222\n  IdentityAgent ~/agent.sock\n',
  '.ssh/known_hosts': 'work.example ssh-ed25519 AAAAC3Nz\n',
  '.ssh/id_ed25519': 'CANARY',
  '.ssh/id_ed25519.pub': 'ssh-ed25519 AAAAC3Nz ada\n',
  'corp.pem': `${CERTIFICATE}-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----\n`,
};

function homeWith(user: User, files: Readonly<Record<string, string>>): string {
  const home = freshHome(user);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const { uid, gid } = identityOf(user);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  return home;
}

const SHOW = 'cd; for file in $(find . -type f -not -path "./.local/*" | sort); do echo "== $file"; cat "$file"; done';

describe.each(USERS)('settings as %s', (user) => {
  it('are none of them left out without a word: too many are an error', () => {
    const names = Array.from({ length: 300 }, (_, i) => `.gitconfig-${i}`);
    const main = names.map((name) => `[include]\n\tpath = ${name}\n`).join('');
    const files = { '.gitconfig': main, ...Object.fromEntries(names.map((name) => [name, '[user]\n\tname = Ada\n'])) };
    const { code, stdout, stderr } = runCordon(['run', '--', 'echo', 'ran'], { user, home: homeWith(user, files) });
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toMatch(/\.gitconfig-\d+: there are more than 256 files of settings/);
  });

  it('that are links into a folder of dotfiles, one by one or by the folder, show nothing more there', () => {
    const all = { ...FILES, '.config/git/config': FILES['.gitconfig-work'] ?? '', '.config/git/ignore': '*.o\n' };
    const moved = Object.entries(all).map(([name, text]) => [`dot/${name}`, text]);
    const home = homeWith(user, { ...Object.fromEntries(moved), 'work/file': '' });
    mkdirSync(join(home, '.config'));
    for (const name of new Set(Object.keys(all).map((name) => /^(?:\.config\/)?[^/]+/.exec(name)?.[0] ?? '')))
      symlinkSync(join(home, 'dot', name), join(home, name));
    execFileSync('chown', ['-Rh', String(identityOf(user).uid), home]);
    const { stdout } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home, cwd: join(home, 'work') });
    expect(stdout).not.toContain('CANARY');
    for (const kept of ['@corp:registry=', 'index-url = https://pypi.corp.example', 'name = "Ada"', 'Port 2222'])
      expect(stdout).toContain(kept);
    expect(stdout).toContain('== ./dot/.config/git/ignore\n*.o');
  });

  it('are there without what logs in', () => {
    const { stdout, stderr } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home: homeWith(user, FILES) });
    expect(stderr).not.toContain('understood');
    expect(stdout).not.toContain('CANARY');
    for (const kept of [
      '@corp:registry=https://npm.corp.example/\nignore-scripts=true',
      'npmRegistryServer: "https://npm.corp.example"',
      'index-url = https://pypi.corp.example/simple',
      'email = "ada@work.example"',
      'git_protocol: ssh',
      '"currentContext": "work"',
      'current-context: dev',
      'index = "https://cargo.corp.example"',
      '<offline>true</offline>',
      'Host work\n  Port 2222',
      'work.example ssh-ed25519 AAAAC3Nz',
      'ssh-ed25519 AAAAC3Nz ada',
      CERTIFICATE,
    ])
      expect(stdout).toContain(kept);
    expect(stdout).not.toContain('IdentityAgent');
    expect(stdout).not.toMatch(/== .*(?:id_ed25519|hosts\.yml)$/m);
  });

  it('are absent, with a note, when they cannot be understood; the launch goes on', () => {
    const home = homeWith(user, {
      '.npmrc': '"_authToken=CANARY\n',
      '.gitconfig': '[user\n\tname = CANARY\n',
      '.kube/config': 'users: &anchor CANARY\n',
      '.docker/config.json': '{"auths": CANARY',
      '.cargo/config.toml': `a = "${'CANARY'.repeat(60_000)}"\n`,
      '.m2/settings.xml': '<!DOCTYPE a [<!ENTITY b "CANARY">]><a>&b;</a>',
      '.yarnrc.yml': '\0\x01CANARY',
      '.bunfig.toml': 'a = """\nCANARY\n"""\n',
    });
    const { code, stdout, stderr } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home });
    expect(code).toBe(0);
    expect(stdout).not.toContain('CANARY');
    expect(stderr).not.toContain('CANARY');
    expect(stderr.match(/so it is not there inside/g)).toHaveLength(8);
    expect(stderr).toContain('.cargo/config.toml is too large');
  });

  it('pipes, folders and links that lead nowhere stop nothing', () => {
    const home = homeWith(user, { '.yarnrc.yml/x': '' });
    execFileSync('mkfifo', [join(home, '.npmrc')]);
    symlinkSync('/nowhere', join(home, '.gitconfig'));
    symlinkSync('.bunfig.toml', join(home, '.bunfig.toml'));
    const { uid, gid } = identityOf(user);
    chownSync(join(home, '.npmrc'), uid, gid);
    expect(runCordon(['run', '--', 'echo', 'ran'], { user, home })).toMatchObject({ code: 0, stdout: 'ran\n' });
  });

  it('the preset workspace has whose commits these are', () => {
    const home = homeWith(user, { ...FILES, 'work/a': '' });
    const args = ['run', '--fs', 'workspace', '--', 'git', 'config', '--list', '--global', '--includes'];
    const { stdout } = runCordon(args, { user, home, cwd: join(home, 'work') });
    expect(stdout).toContain('user.name=Ada\n');
    expect(stdout).toContain('user.email=ada@work.example\n');
    expect(stdout).not.toContain('CANARY');
  });
});
