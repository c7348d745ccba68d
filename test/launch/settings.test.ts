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

/** What is shown as it is where nothing is wrong with it: in each a log-in, and what has to stay. */
const OF_OTHERS: Readonly<Record<string, readonly [text: string, kept: string]>> = {
  '.gemrc': [`:rubygems_api_key: CANARY\n:sources:\n- ${LOGGED_IN}gems.example/\n`, '- https://gems.example/'],
  '.nvm/versions/node/v20/etc/npmrc': ['//r.example/:_authToken=CANARY\nprefix=~/x\n', 'prefix=~/x'],
  '.npm-global/etc/npmrc': ['_auth=CANARY\nfund=false\n', 'fund=false'],
  '.config/yarn/global/.yarnrc': [
    '"//r/:_authToken" CANARY\nregistry "https://r.example"\n',
    'registry "https://r.example"',
  ],
  '.coursier/credentials.properties': ['corp.password=CANARY\ncorp.host=r.example\n', 'corp.host=r.example'],
  '.conan2/remotes.json': [`{"remotes":[{"url":"${LOGGED_IN}conan.example"}]}`, '"url":"https://conan.example"'],
  '.opam/config': [`repositories: "x"\nurl: "${LOGGED_IN}opam.example"\n`, 'url: "https://opam.example"'],
  '.sbt/1.0/global.sbt': ['credentials += Credentials("R", "h", "ada", "CANARY")\nfork := true\n', 'fork := true'],
  '.gradle/init.d/corp.gradle': ["offline = true\ncredentials { username 'a'; password 'CANARY' }\n", 'offline = true'],
  '.config/mise/config.toml': ['[env]\nGITHUB_TOKEN = "CANARY"\n[tools]\nnode = "22"\n', '[tools]\nnode = "22"'],
  '.config/direnv/direnvrc': ['export GITHUB_TOKEN=CANARY\nlayout_x() { true; }\n', 'layout_x() { true; }'],
  '.tmux.conf': [
    'set-environment -g GITHUB_TOKEN CANARY\nset -g mode-keys vi\nbind-key r source x\n',
    'bind-key r source x',
  ],
  '.screenrc': ['setenv OPENAI_API_KEY CANARY\nstartup_message off\n', 'startup_message off'],
  '.config/nvim/lua/keys.lua': ['vim.env.OPENAI_API_KEY = "CANARY"\nvim.g.mapleader = " "\n', 'vim.g.mapleader'],
  '.config/nushell/env.nu': ['$env.GITHUB_TOKEN = "CANARY"\nalias ll = ls\n', 'alias ll = ls'],
  '.cargo/git/db/x/config': [`[remote "o"]\n\turl = ${LOGGED_IN}git.example/x\n`, 'url = https://git.example/x'],
  '.cache/pre-commit/r/.git/config': [
    `[remote "o"]\n\turl = ${LOGGED_IN}hooks.example/x\n`,
    'url = https://hooks.example/x',
  ],
  'go/pkg/mod/cache/vcs/x/config': [`[remote "o"]\n\turl = ${LOGGED_IN}go.example/x\n`, 'url = https://go.example/x'],
};

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

  it('of any other program are there without lines that log in, and else as they are', () => {
    const texts = Object.entries(OF_OTHERS).map(([name, [text]]) => [name, text]);
    const plain = 'local keys = { token_type = "x", { "<leader>k", "password" } }\n';
    const home = homeWith(user, { ...Object.fromEntries(texts), '.vimrc': plain });
    const { stdout, stderr } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home });
    expect(stdout).not.toContain('CANARY');
    expect(stderr).not.toContain('not there inside');
    for (const [name, [, kept]] of Object.entries(OF_OTHERS))
      expect([name, stdout]).toEqual([name, expect.stringContaining(kept)]);
    expect(stdout).toContain(plain);
    expect(
      runCordon(['run', '--expose', `${home}/.gemrc`, '--', 'cat', `${home}/.gemrc`], { user, home }).stdout,
    ).toContain('CANARY');
  });

  it('of any other program are absent where nothing else is in them, in backups, and with a note where a line is part of more', () => {
    const home = homeWith(user, {
      '.yarn/global/.npmrc': '//r.example/:_authToken=CANARY\n',
      '.cargo/config.toml~': 'CANARY',
      '.gradle/gradle.properties.bak': 'CANARY',
      '.config/git/config.bak': 'CANARY',
      '.lein/profiles.clj':
        '{:user {:a 1\n        :repositories [["x" {:password "CANARY"\n              :url "y"}]]}}\n',
    });
    const { code, stdout, stderr } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/CANARY|npmrc|profiles|\.bak|~/);
    expect(stderr.match(/not there inside/g)).toHaveLength(1);
    expect(stderr).toContain('.lein/profiles.clj has a log-in in line 2, which is part of more than the line');
  });

  it('are looked through wherever they lie in a folder of settings, and absent where that is too much', () => {
    const token = 'vim.g.token = "CANARY"\n';
    const nvim = ['lua/a/b', 'lua/a/b/c/d', 'plugins', 'lua/themes', 'pack/mine/start/own'];
    const deep = Array.from({ length: 9 }, (_, i) => `d${i}`).join('/');
    const many = Array.from({ length: 2001 }, (_, i) => [`.config/nvim/many/${i}.lua`, token]);
    const home = homeWith(user, {
      ...Object.fromEntries(nvim.map((folder) => [`.config/nvim/${folder}/x.lua`, `${token}vim.g.kept = 1\n`])),
      ...Object.fromEntries(many),
      '.config/nvim/init.lua': 'vim.g.first = 1\n',
      [`.config/nvim/${deep}/x.lua`]: token,
      '.vim/after/ftplugin/x.vim': 'let g:token = "CANARY"\nset nu\n',
      '.config/nvim/pack/theirs/start/x/.git/config': `[remote "o"]\n\turl = ${LOGGED_IN}git.example/x\n`,
      '.config/nvim/pack/theirs/start/x/plugin/x.vim': 'set theirs\n',
    });
    const { stdout, stderr } = runCordon(['run', '--', 'sh', '-c', SHOW], { user, home });
    expect(stdout).not.toContain('CANARY');
    expect(stdout.match(/vim\.g\.kept = 1/g)).toHaveLength(nvim.length);
    for (const kept of ['vim.g.first = 1', 'set nu', 'url = https://git.example/x', 'set theirs'])
      expect(stdout).toContain(kept);
    expect(stderr).toMatch(/nvim\/many holds more than can be looked through for log-ins, so it is not there inside/);
    expect(stderr).toMatch(/\/d7 holds more than can be looked through/);
    expect(stderr.match(/not there inside/g)).toHaveLength(2);
  });

  it('that get a log-in after a plan was kept lose it all the same', () => {
    const home = homeWith(user, { '.tmux.conf': 'set -g mouse on\n', 'work/x': '' });
    const see = () =>
      runCordon(['run', '--', 'sh', '-c', 'cat ~/.tmux.conf ~/.gemrc'], { user, home, cwd: join(home, 'work') });
    expect([see().stdout, see().stdout]).toEqual(Array(2).fill('set -g mouse on\n'));
    writeFileSync(join(home, '.tmux.conf'), 'set -g mouse off\nset-environment -g A_TOKEN CANARY\n');
    writeFileSync(join(home, '.gemrc'), ':rubygems_api_key: CANARY\nverbose: true\n');
    expect(see().stdout).toBe('set -g mouse off\n\n\nverbose: true\n');
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
