import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

// What the words about places say is what a command finds: real launches on a machine that nobody else sees, beside a model that is
// written from docs/filesystem.md. Where the documentation is silent, so is the model, and only what is hidden is looked at.

const HOME = freshHome('root');
const OWN = `${HOME}/cordon`;
const TREES = ['/srv', `${HOME}/t`];
const FOLDERS = TREES.flatMap((tree) => ['', '/a', '/a/b', '/a/b/c', '/d', '/d/e'].map((name) => tree + name));
const FILES = FOLDERS.map((folder) => `${folder}/f`);
const SECOND = ['/srv/second', `${HOME}/t/second`];
const NAMED = [
  ...FOLDERS,
  ...FILES,
  ...SECOND.flatMap((place) => [place, `${place}/f`, `${place}/b`, `${place}/e/f`]),
  HOME,
];

/** Those that hold each other most. */
const CHAIN = TREES.flatMap((tree) => ['', '/a', '/a/b', '/a/b/f'].map((name) => tree + name));

interface Saying {
  readonly word: 'hide' | 'read' | 'write' | 'expose';
  readonly path: string;
}

interface Scene {
  readonly user: User;
  readonly links: readonly { readonly folder: string; readonly to: string }[];
  /** A file system of its own is mounted there. */
  readonly disk: string | undefined;
  /** A folder that is mounted in a second place, with or without what is mounted in it. */
  readonly second: { readonly of: string; readonly at: string; readonly whole: boolean } | undefined;
  readonly words: readonly Saying[];
  readonly preset: 'guarded' | 'workspace' | 'all';
  readonly workspace: string;
  readonly mode: 'real' | 'aside' | 'read-only';
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const sometimes = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });
const folders = fc.constantFrom(...FOLDERS);

const anyScene: fc.Arbitrary<Scene> = fc.record({
  user: fc.constantFrom('root', 'cordon-test'),
  links: fc.array(fc.record({ folder: folders, to: fc.constantFrom(...FOLDERS, ...FILES) }), { maxLength: 2 }),
  disk: sometimes(fc.constantFrom(...FOLDERS.filter((folder) => !TREES.includes(folder)))),
  second: sometimes(
    fc.record({ of: fc.constantFrom(...FOLDERS, HOME), at: fc.constantFrom(...SECOND), whole: fc.boolean() }),
  ),
  words: fc.array(
    fc.record({
      word: fc.constantFrom('hide', 'read', 'write', 'expose'),
      path: fc.oneof(fc.constantFrom(...CHAIN), fc.constantFrom(...NAMED)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  preset: fc.constantFrom('guarded', 'workspace', 'all'),
  workspace: fc.oneof(fc.constant(`${HOME}/work`), folders),
  mode: fc.constantFrom('real', 'real', 'aside', 'read-only'),
});

/** What the documentation says nothing about, and a workspace that is hidden. */
function isClear({ words, workspace, mode, links, disk, second }: Scene): boolean {
  const twice = words.some((one, at) =>
    words.slice(at + 1).some((other) => other.path === one.path && one.word !== 'hide' && other.word !== 'hide'),
  );
  const otherName = (path: string) =>
    second !== undefined && isIn(path, second.at) ? second.of + path.slice(second.at.length) : path;
  const hidesWorkspace = words.some(
    ({ word, path }) =>
      word === 'hide' && [path, otherName(path)].some((one) => isIn(otherName(workspace), one) || isIn(workspace, one)),
  );
  const inWorkspace = words.some(
    ({ word, path }) =>
      path === workspace || (mode !== 'real' && (word === 'expose' || word === 'write') && isIn(path, workspace)),
  );
  const mountsInHome = [disk, second?.at].some((place) => place !== undefined && isIn(place, HOME));
  return (
    !twice &&
    !hidesWorkspace &&
    !inWorkspace &&
    !(mountsInHome && links.length > 0) &&
    !(second && isIn(second.at, second.of) && second.whole) &&
    !(second?.of === HOME && isIn(second.at, workspace))
  );
}

// ── what is there, and what came of it ──

interface Entry {
  readonly name: string;
  /** The name without links, and what tells the file or folder from every other. */
  readonly real: string;
  readonly id: string;
  readonly isFolder: boolean;
}

interface Outcome {
  readonly entries: readonly Entry[];
  readonly code: number;
  readonly stderr: string;
  /** What could be read, by name: its text. */
  readonly read: Readonly<Record<string, string>>;
  /** The names under which something was written for real. */
  readonly changed: readonly string[];
}

/** Started outside, in mounts of its own, as root: builds the scene, launches, and looks at what is there afterwards. */
const AROUND = `
import ctypes, json, os, subprocess, sys
scene = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
def mount(what, at, kind, flags=0):
    os.makedirs(at, exist_ok=True)
    if libc.mount(what.encode(), at.encode(), kind, flags, None): raise OSError(ctypes.get_errno(), at)
def make(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file: file.write(text)
home = scene['home']
for place in ['/srv', home, scene['accountHome'], '/var/tmp']: mount('tmpfs', place, b'tmpfs')
os.chmod('/var/tmp', 0o1777)
for folder in scene['folders'] : make(folder + '/f', folder + '/f')
def own(): subprocess.run(['chown', '-Rh', '%d:%d' % tuple(scene['ids']), '/srv', home, scene['accountHome']], check=True)
if scene.get('disk'):
    own()
    mount('tmpfs', scene['disk'], b'tmpfs')
    for folder in scene['folders']:
        if (folder + '/').startswith(scene['disk'] + '/'): make(folder + '/f', 'disk:' + folder + '/f')
for at, link in enumerate(scene['links']): os.symlink(link['to'], '%s/l%d' % (link['folder'], at))
os.makedirs(home + '/work')
if scene.get('second'): os.makedirs(scene['second']['at'], exist_ok=True)
make(home + '/cordon/vault.key', 'vault'); make(home + '/cordon/profiles/p.json', '{}')
os.chmod(home + '/cordon', 0o700)
own()
if scene.get('second'): mount(scene['second']['of'], scene['second']['at'], None, 4096 | (16384 if scene['second']['whole'] else 0))
entries = []
def look(folder, depth):
    for name in sorted(os.listdir(folder)):
        path = folder + '/' + name
        is_folder, found = os.path.isdir(path), os.stat(path)
        entries.append({'name': path, 'real': os.path.realpath(path), 'id': '%d:%d' % (found.st_dev, found.st_ino), 'isFolder': is_folder})
        if is_folder and depth < 5: look(path, depth + 1)
for tree in ['/srv', home]:
    found = os.stat(tree)
    entries.append({'name': tree, 'real': tree, 'id': '%d:%d' % (found.st_dev, found.st_ino), 'isFolder': True})
    look(tree, 0)
ids = scene['ids']
os.chdir(scene['workspace'])
words = ['setpriv', '--reuid=%d' % ids[0], '--regid=%d' % ids[1], '--clear-groups', *scene['command'], json.dumps([[one['name'], one['isFolder']] for one in entries])]
env = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': home, 'CORDON_HOME': home + '/cordon'}
ran = subprocess.run(words, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
changed = []
for one in entries:
    if one['isFolder']: is_changed = any(name.startswith('made') for name in os.listdir(one['name']))
    else: is_changed = 'MARK' in open(one['name']).read() 
    if is_changed: changed.append(one['name'])
json.dump({'entries': entries, 'code': ran.returncode, 'stderr': ran.stderr, 'read': json.loads(ran.stdout or '{}'), 'changed': changed}, sys.stdout)
`;

/** The command: reads every name, also when folders have other names, and tries to write to it. */
const INSIDE = `
import json, os, sys
names = json.loads(sys.argv[1])
read = {}
def look(name, path):
    try:
        with open(path) as file: read.setdefault(name, file.read())
    except OSError: pass
for name, is_folder in names:
    if not is_folder: look(name, name)
# A folder that can be moved takes along what lies over its files. It is moved back at once.
for name, is_folder in names:
    if os.path.realpath(name) != name: continue
    try: os.rename(name, name + '.moved')
    except OSError: continue
    for inner, inner_is_folder in names:
        if not inner_is_folder and inner.startswith(name): look(inner, name + '.moved' + inner[len(name):])
    os.rename(name + '.moved', name)
for at, (name, is_folder) in enumerate(names):
    try:
        with open(name + '/made%d' % at if is_folder else name, 'a') as file: file.write('MARK')
    except OSError: pass
json.dump(read, sys.stdout)
`;

const ACCOUNT_HOMES: Record<User, string> = { root: '/root', 'cordon-test': '/home/cordon-test' };

function launch(scene: Scene): Outcome {
  const { words, preset, workspace, mode, user } = scene;
  const places = words.flatMap(({ word, path }) => [`--${word}`, path]);
  const flags = [
    '--fs',
    preset,
    ...places,
    ...(mode === 'real' ? [] : ['--workspace', mode]),
    '--workspace',
    workspace,
  ];
  const command = [cordonProgram(), 'run', ...flags, '--', 'python3', '-c', INSIDE];
  const { uid, gid } = identityOf(user);
  const input = { ...scene, home: HOME, folders: FOLDERS, accountHome: ACCOUNT_HOMES[user], ids: [uid, gid], command };
  const { code, stdout, stderr } = runAs('unshare', ['-m', 'python3', '-c', AROUND], {
    home: HOME,
    cwd: '/',
    input: JSON.stringify(input),
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Outcome;
}

// ── what the documentation says ──

class Model {
  readonly #scene: Scene;
  readonly #names = new Map<string, Set<string>>();

  constructor(scene: Scene, entries: readonly Entry[]) {
    this.#scene = scene;
    for (const { id, real } of entries) this.#names.set(id, (this.#names.get(id) ?? new Set()).add(real));
  }

  /** A path under `hide` and under another word is an error. */
  get contradicts(): boolean {
    const { words } = this.#scene;
    return words.some((one) =>
      words.some((other) => one.word === 'hide' && other.word !== 'hide' && one.path === other.path),
    );
  }

  /** A folder with a mount in it cannot be put aside. */
  get cannotPutAside(): boolean {
    const { mode, workspace, disk, second } = this.#scene;
    return (
      mode === 'aside' &&
      [disk, second?.at].some((place) => place !== undefined && isIn(place, workspace) && place !== workspace)
    );
  }

  /** Of places that hold each other the inner one counts. */
  #innermost(real: string, among: readonly string[]): string | undefined {
    const { words, workspace, mode } = this.#scene;
    const all = [...words, { word: mode, path: workspace }].filter(
      ({ word, path }) => among.includes(word) && isIn(real, path),
    );
    return all.toSorted((one, other) => other.path.length - one.path.length)[0]?.word;
  }

  /** Hidden by a word, which only `expose` lifts, or because the preset shows nothing there that is not named. */
  #standing(real: string): 'exposed' | 'hidden' | 'closed' | 'named' | 'open' {
    const word = this.#innermost(real, ['hide', 'expose']);
    if (word !== undefined) return word === 'hide' ? 'hidden' : 'exposed';
    if (this.#innermost(real, ['read', 'write', 'real', 'aside', 'read-only']) !== undefined) return 'named';
    const { preset } = this.#scene;
    return preset === 'all' || (preset === 'guarded' && !isIn(real, HOME)) ? 'open' : 'closed';
  }

  #namesOf = ({ id }: Entry) => [...(this.#names.get(id) ?? [])];
  #isOwn = (entry: Entry) => this.#namesOf(entry).some((real) => isIn(real, OWN));

  /** A folder that is hidden takes what is mounted in it along, but not the other names of that. */
  #isTakenAlong(real: string): boolean {
    const { words, second } = this.#scene;
    const isAround = ({ word, path }: Saying) => word === 'hide' && second?.at !== path && isIn(second?.at ?? '', path);
    return isIn(real, second?.at ?? OWN) && words.some(isAround);
  }

  /** What is mounted twice is hidden twice; where one name is let through by a word, that word may mean the other too. */
  isHidden(entry: Entry, real = entry.real): boolean {
    const names = this.#namesOf(entry);
    if (this.#isOwn(entry)) return names.includes(`${OWN}/vault.key`);
    const own = this.#standing(real);
    const all = [own, ...names.filter((name) => !this.#isTakenAlong(name)).map((name) => this.#standing(name))];
    const isClosed = own === 'closed' || (this.#scene.second?.of === HOME && all.includes('closed'));
    return !all.includes('exposed') && (all.includes('hidden') || (isClosed && !all.includes('named')));
  }

  isShown(entry: Entry): boolean {
    if (entry.name !== entry.real || this.#isOwn(entry)) return false;
    const all = this.#namesOf(entry).map((real) => this.#standing(real));
    const { words, second } = this.#scene;
    const isUnclear = all.length > 1 && (second?.of === HOME || words.some(({ word }) => word === 'hide'));
    return !isUnclear && !all.includes('hidden') && !all.includes('closed');
  }

  #isWritable(entry: Entry, real: string): boolean {
    if (this.isHidden(entry, real) || this.#isOwn(entry)) return false;
    const word = this.#innermost(real, ['read', 'write', 'expose', 'real', 'aside', 'read-only']);
    return word === undefined ? this.#scene.preset === 'all' : ['write', 'expose', 'real'].includes(word);
  }

  isChanged = (entry: Entry) => this.isShown(entry) && this.#isWritable(entry, entry.real);
  isLeft = (entry: Entry) => !this.#namesOf(entry).some((real) => this.#isWritable(entry, real));
}

/** What differs between what a command found and what the documentation says, in words. */
function differences(scene: Scene): readonly string[] {
  const outcome = launch(scene);
  const { entries, code, stderr } = outcome;
  const model = new Model(scene, entries);
  const isRefused = (message: RegExp) => code === 125 && message.test(stderr);
  if (model.contradicts)
    return isRefused(/is listed under hide .* and under/) ? [] : [`not refused: ${code} ${stderr}`];
  if (model.cannotPutAside && isRefused(/cannot be put aside here/)) return [];
  if (code !== 0) return [`failed: ${code} ${stderr}`];
  const differing = entries.flatMap((entry) => differencesOf(entry, model, outcome));
  return differing.length === 0 ? [] : [...differing, stderr];
}

function differencesOf(entry: Entry, model: Model, { read, changed }: Outcome): readonly string[] {
  const { name, isFolder } = entry;
  const [isRead, isChanged] = [name in read, changed.includes(name)];
  const wrong: readonly (readonly [string, boolean])[] = [
    ['is hidden, and was read', !isFolder && model.isHidden(entry) && isRead],
    ['is shown, and was not read', !isFolder && model.isShown(entry) && !isRead],
    ['can be written, and was not', model.isChanged(entry) && !isChanged],
    ['cannot be written, and was', model.isLeft(entry) && isChanged],
  ];
  return wrong.filter(([, is]) => is).map(([text]) => `${name} ${text}`);
}

const ROUNDS = 48;

describe('what the words about places say', () => {
  test('is what a command finds', () => {
    fc.assert(
      fc.property(anyScene.filter(isClear), (scene) => {
        expect(differences(scene)).toEqual([]);
      }),
      { numRuns: ROUNDS },
    );
  });
});
