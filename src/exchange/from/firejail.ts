import { type Draft, type PlaceList, quoted } from '../draft.ts';
import type { Importer } from './importer.ts';

/** Source: the manual page firejail-profile(5). */
export const firejail: Importer = {
  format: 'firejail',
  title: 'firejail',
  syntax: 'lines',
  holdsAny: ({ text }) => linesOf(text).some(([, words]) => WORD.test(words[0] ?? '')),
  recognises: ({ text, data, path }) => {
    if (data !== undefined && typeof data === 'object') return false;
    const lines = linesOf(text);
    const known = lines.filter(([, words]) => WORD.test(words[0] ?? ''));
    return lines.length > 0 && (known.length === lines.length || (/\.(profile|inc)$/.test(path) && known.length > 0));
  },
  read: ({ text }, draft) => {
    draft.profile.environment.base = 'all';
    draft.profile.isolation = 'barrier';
    draft.profile.filesystem.preset = 'guarded';
    draft.row('(home)', 'narrower', 'of the home only what programs need and what is named is there');
    for (const [key, words] of linesOf(text)) readLine(key, words, draft);
  },
};

const linesOf = (text: string): [string, string[]][] =>
  text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => [line, line.split(/\s+/)]);

const WORD =
  /^(\?\w+:|include|blacklist|noblacklist|nowhitelist|whitelist(-ro)?|read-only|read-write|tmpfs|private([-\w]*)|net|netfilter|env|rmenv|caps(\.\w+)?|nonewprivs|noroot|nogroups|seccomp(\.\S+)?|ipc-namespace|shell|no(dbus|sound|3d|video|dvd|tv|u2f|input|printers|autopulse|exec)|dbus-(user|system)(\.\w+)?|x11|protocol|memory-deny-write-execute|apparmor|disable-mnt|tracelog|hostname|name|rlimit-\w+|timeout|machine-id|mkdir|mkfile|ignore|quiet|restrict-namespaces|landlock\.\w+|keep-\w+|deterministic-\S+|join-or-start|hosts-file|dns|cpu|nice|allusers|writable-\S+|allow-debuggers|notpm)$/;

/** What the barrier always does. */
const ALWAYS =
  /^(private-(tmp|dev|cache)|caps(\.drop|\.keep)?|nonewprivs|noroot|nogroups|seccomp(\..+)?|ipc-namespace|shell|no(dbus|sound|3d|video|dvd|tv|u2f|input|printers|autopulse)|dbus-(user|system)(\..+)?|x11|disable-mnt|notpm|machine-id|restrict-namespaces|deterministic-\S+)$/;
const ASIDE = /^(tracelog|hostname|name|mkdir|mkfile|quiet|join-or-start|nice|hosts-file|dns)$/;
const LISTS: Readonly<Record<string, PlaceList>> = {
  blacklist: 'hide',
  whitelist: 'write',
  'whitelist-ro': 'read',
  'read-only': 'read',
  'read-write': 'write',
};

function readLine(key: string, [word = '', ...rest]: readonly string[], draft: Draft) {
  const shown = word === 'env' ? `env ${quoted((rest[0] ?? '').replace(/=.*/s, ''))}` : key;
  const list = LISTS[word];
  const handler = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (list !== undefined) readPlace(shown, word, list, rest.join(' '), draft);
  else if (handler !== undefined) handler(shown, rest, draft);
  else if (ALWAYS.test(word)) draft.row(shown, 'same', 'the barrier always does');
  else if (GRANTS.test(word)) draft.row(shown, 'narrower', 'nothing more is let through');
  else if (ASIDE.test(word)) draft.aside(shown);
  else if (WORD.test(word)) draft.row(shown, 'wider', 'cannot be said');
  else draft.unknown(shown);
}

const GRANTS = /^(noblacklist|nowhitelist|keep-\w+|writable-\S+|allow-debuggers|allusers)$/;

const WORDS: Readonly<Record<string, (shown: string, rest: readonly string[], draft: Draft) => void>> = {
  env: (shown, rest, draft) => readEnv(shown, rest.join(' '), draft),
  rmenv: (shown, rest, draft) => {
    draft.unset(shown, rest[0] ?? '');
    draft.row(shown, 'same', 'unset_vars');
  },
  net: (shown, rest, draft) => {
    if (rest[0] === 'none') draft.profile.network.block = true;
    draft.row(
      shown,
      rest[0] === 'none' ? 'same' : 'narrower',
      rest[0] === 'none' ? 'network off' : 'the network as it is',
    );
  },
  private: (shown, rest, draft) => {
    draft.profile.filesystem.preset = 'workspace';
    draft.row(shown, rest.length === 0 ? 'same' : 'narrower', 'a private home');
  },
  include: (shown, rest, draft) => readInclude(shown, rest[0] ?? '', draft),
  protocol: (shown, _, draft) => draft.row(shown, 'wider', 'kinds of sockets are not told apart'),
};

function readPlace(key: string, word: string, list: PlaceList, path: string, draft: Draft) {
  const written = path.replace(/^\$\{HOME\}/, '$HOME').replace(/^\$\{RUNUSER\}/, '$XDG_RUNTIME_DIR');
  const problem = draft.placeProblem(written);
  const restricts = word === 'blacklist' || word === 'read-only';
  if (problem !== undefined) return draft.row(key, restricts ? 'wider' : 'narrower', `left out: ${quoted(problem)}`);
  draft.place(list, written);
  draft.row(key, 'same', `filesystem.${list}`);
}

function readEnv(key: string, assignment: string, draft: Draft) {
  const equals = assignment.indexOf('=');
  if (equals === -1) return draft.row(key, 'narrower', 'no NAME=VALUE');
  draft.set(key, assignment.slice(0, equals), assignment.slice(equals + 1));
}

/** Its own lists of what to hide, or to let through, have their like in the barrier; what else a file says is not known. */
function readInclude(key: string, file: string, draft: Draft) {
  if (/^(\/etc\/firejail\/)?(disable|whitelist)-[\w-]+\.inc$/.test(file))
    draft.row(key, 'narrower', 'the barrier decides by class');
  else if (/\.local$/.test(file)) draft.aside(key, 'what it says, if it is there, is not taken over');
  else draft.row(key, "can't be said", 'import that file, too', { needsAccept: true });
}
