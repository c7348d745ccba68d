// Where the programs of the peers are, and what to type before a command to start it under one.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

const OWN = userInfo();
const SHARED_CACHE = '/var/cache/cordon-peers';
/** Of the user as the system knows it: HOME may be a throw-away one. */
const OWN_CACHE = OWN.uid === 0 ? SHARED_CACHE : join(OWN.homedir, '.cache', 'cordon-peers');
const CACHE = process.env.CORDON_PEERS ?? OWN_CACHE;

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** As scripts/install-peers put it, by this user or by root, before what is on PATH. */
export function find(program) {
  const { XDG_CACHE_HOME, PATH = '/usr/bin:/bin' } = process.env;
  const caches = [CACHE, XDG_CACHE_HOME && join(XDG_CACHE_HOME, 'cordon-peers'), OWN_CACHE, SHARED_CACHE];
  const folders = [...caches.filter(Boolean).map((folder) => join(folder, 'bin')), ...PATH.split(':')];
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

/** A folder of the peer's own, which need not be the user's. */
export function environmentOf({ environment = {} }) {
  const folders = Object.entries(environment).map(([name, folder]) => [name, join(CACHE, folder)]);
  for (const [, folder] of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return Object.fromEntries(folders);
}

/** The words before the command, or undefined where the peer isn't installed. `variant` is `default` or `configured`. */
export function wordsOf(peer, variant, { home, workspace }) {
  if (peer.program === undefined) return [];
  const program = find(peer.program);
  if (program === undefined) return undefined;
  return [program, ...peer[variant].map((word) => word.replaceAll('$HOME', home).replaceAll('$PWD', workspace))];
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

function quoted(word) {
  if (PLAIN_WORD.test(word)) return word;
  return /\$(HOME|PWD)/.test(word) ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The same as a line for a shell, which sees to $HOME and $PWD itself, in any home: for `cordon prove --under`. */
export function lineOf(peer, variant) {
  const all = wordsOf(peer, variant, { home: '$HOME', workspace: '$PWD' });
  if (all === undefined || all.length === 0) return all?.join('');
  const [program, ...words] = all;
  const settings = Object.entries(environmentOf(peer)).map(([name, value]) => `${name}=${value}`);
  const start = settings.length > 0 ? ['env', ...settings] : [];
  return [...start, peer.inOtherHome ?? program, ...words].map(quoted).join(' ');
}

export function versionOf(peer) {
  const program = peer.program && find(peer.program);
  if (program === undefined) return undefined;
  const { stdout, stderr } = spawnSync(program, peer.version, { encoding: 'utf8', timeout: 20_000 });
  return /\d+(\.\d+)+/.exec(`${stdout}${stderr}`)?.[0];
}

/** Why it can't start a command here, or undefined when it can. */
export function refusal(words, env) {
  const [program, ...args] = [...words, '/usr/bin/true'];
  const { status, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8', timeout: 20_000 });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
}
