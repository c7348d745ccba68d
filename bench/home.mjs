// A home as it looks after some years, with a repository to work in, and the guarded shims of what is started there.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from './user.mjs';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const modules = fileURLToPath(new URL('../node_modules', import.meta.url));

export const HOME = userInfo().homedir;
export const PROJECT = join(HOME, 'project');
/** Shown in the layer, and the greatest part of the files in the home. */
export const REGISTRY = join(HOME, '.cargo', 'registry');
/** The environment of everything that is measured in this home; the compiler is the one of this checkout. */
export const EVERYDAY = { PATH: `/usr/local/bin:/usr/bin:/bin:${modules}/.bin`, HOME, LANG: 'C.UTF-8', TERM: 'xterm' };

const FILES = {
  '.gitconfig': '[user]\n\tname = Some One\n\temail = someone@example.org\n',
  '.config/git/ignore': '*.swp\n',
  '.bashrc': "alias ll='ls -l'\n",
  '.profile': '. ~/.bashrc\n',
  '.vimrc': 'set number\n',
  '.npmrc': '//registry.npmjs.org/:_authToken=made-up\n',
  '.netrc': 'machine example.org login someone password made-up\n',
  '.ssh/id_ed25519': 'made up\n',
  '.ssh/config': 'Host *\n',
  '.aws/credentials': '[default]\naws_secret_access_key = made-up\n',
  '.config/gh/hosts.yml': 'github.com: { oauth_token: made-up }\n',
  '.docker/config.json': '{}\n',
  '.kube/config': 'made: up\n',
  '.gnupg/pubring.kbx': 'made up\n',
  '.bash_history': 'ls\n',
  '.cache/pip/selfcheck.json': '{}\n',
  '.local/bin/own-tool': '#!/bin/sh\n',
  '.local/share/keyrings/login.keyring': 'made up\n',
  '.mozilla/firefox/profiles.ini': '[General]\n',
  '.vscode/argv.json': '{}\n',
  '.rustup/settings.toml': 'version = "12"\n',
  'Documents/letter.txt': 'Dear reader\n',
};

export function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As cargo unpacks crates: a hundred files each, in folders of twenty. */
function fillRegistry(count) {
  for (let crate = 0; crate * 100 < count; crate++) {
    const folder = join(REGISTRY, 'src', 'index.crates.io', `crate-${crate}-1.0.0`);
    for (let part = 0; part < 5; part++) {
      const inner = join(folder, `part${part}`);
      mkdirSync(inner, { recursive: true });
      for (let i = 0; i < 20; i++) writeFileSync(join(inner, `file${i}.rs`), 'pub fn made_up() {}\n');
    }
  }
}

function makeProject(count) {
  for (let i = 0; i < count; i++) put(join(PROJECT, 'src', `part${i % 50}`, `file${i}.txt`), `file number ${i}\n`);
  put(join(PROJECT, '.gitignore'), 'node_modules\n');
  const git = (...words) => execFileSync('git', words, { cwd: PROJECT, env: EVERYDAY, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'all');
}

let made = false;

/** The home of this run, filled once: all suites are measured in the same. */
export function livedInHome({ smoke }) {
  if (made) return;
  if (scratch === undefined) throw new Error(`${HOME} may be somebody's home: npm run bench makes one`);
  made = true;
  for (const [name, text] of Object.entries(FILES)) put(join(HOME, name), text);
  fillRegistry(smoke ? 10_000 : 100_000);
  makeProject(smoke ? 500 : 3000);
}

const configure = (...words) =>
  execFileSync(process.execPath, [cli, 'tool', 'config', ...words], { env: EVERYDAY, stdio: 'ignore' });

/** The shim of a tool that sees the machine guarded, made with the ordinary commands, and the program it starts. */
export function guardedShim(tool) {
  configure(tool, 'env', 'base', 'os-common');
  configure(tool, 'fs', 'base', 'guarded');
  // A checkout in a temporary folder is not seen inside, and the compiler is there.
  if (tool === 'tsc') configure(tool, 'fs', 'read', join(import.meta.dirname, '..', 'node_modules'));
  const shim = join(HOME, '.local', 'share', 'cordon', 'bin', tool);
  const program = /^command (.*)$/m.exec(readFileSync(shim, 'utf8'))?.[1];
  return { shim, program };
}

const ABOUT_HOME = /^(home|show|hide|keep-read|keep-out) /;

/** The same shim for a home with nothing in it but the same repository: it differs in the names alone. */
export function inEmptyHome({ shim }) {
  const home = join(scratch, 'empty');
  const project = join(home, 'project');
  cpSync(PROJECT, project, { recursive: true, preserveTimestamps: true });
  const lines = readFileSync(shim, 'utf8').split('\n');
  const path = join(scratch, 'tmp', 'shim-of-empty-home');
  const moved = lines.map((line) => (ABOUT_HOME.test(line) ? line.replaceAll(HOME, home) : line));
  writeFileSync(path, moved.join('\n'), { mode: 0o755 });
  return { in: project, words: [path] };
}
