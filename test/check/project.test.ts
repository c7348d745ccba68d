import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFiles } from '../../src/check/check.ts';
import { discover } from '../../src/check/discover.ts';
import { fixFindings } from '../../src/check/fix.ts';
import { pathsOf } from '../../src/check/git-index.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { findingsIn } from './support.ts';

const TOKEN = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'].join('_');
const SECRET = `DB_PASSWORD=${'hunter2pass'}\n`;
const $ = (name: string) => `\${${name}}`;

function git(folder: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, env, stdio: 'pipe' });
}

interface Files {
  readonly [name: string]: string;
}

/** A repository with these files, of which the first ones are tracked. */
function repository(tracked: Files, untracked: Files = {}, init: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-check-git-'));
  git(folder, 'init', '-q', ...init);
  write(folder, tracked);
  git(folder, 'add', '-f', '.');
  write(folder, untracked);
  return folder;
}

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** What `cordon check` without a file says in that folder. */
async function rulesFor(folder: string): Promise<string[]> {
  const files = discover({ config: undefined, workdir: folder }).map((file) => join(folder, file));
  return (await reportOn(files, folder)).findings.map(({ rule, file }) => `${file.slice(folder.length + 1)} ${rule}`);
}

async function reportOn(files: readonly string[], folder: string) {
  const places = { config: join(folder, 'none'), home: folder, workdir: folder };
  return await checkFiles({ files, env: ParentEnv.fromRecord({}), places });
}

describe('files of secrets in a repository', () => {
  it.each<[string, Files, Files, string[]]>([
    ['tracked', { '.env': SECRET }, {}, ['.env env-file-tracked', '.env secret-in-plain-text']],
    [
      'tracked in a package',
      { 'packages/api/.env.production': SECRET },
      {},
      ['packages/api/.env.production env-file-tracked', 'packages/api/.env.production secret-in-plain-text'],
    ],
    ['tracked, settings alone', { '.env': 'SKIP_PREFLIGHT_CHECK=true\nPORT=3000\n' }, {}, []],
    ['tracked, an example', { '.env.example': 'DB_PASSWORD=changeme\n' }, {}, []],
    ['tracked, a reference', { '.env': `DB_PASSWORD=op://work/db/password\n` }, {}, []],
    ['not ignored', { 'a.txt': '' }, { '.env': SECRET }, ['.env env-file-not-ignored']],
    [
      'not ignored, another environment',
      { 'a.txt': '' },
      { '.env.production': SECRET },
      ['.env.production env-file-not-ignored', '.env.production secret-in-plain-text'],
    ],
    ['not ignored, nothing secret', { 'a.txt': '' }, { '.env': 'PORT=3000\n' }, []],
    ['ignored by name', { '.gitignore': 'node_modules\n.env\n' }, { '.env': SECRET }, []],
    ['ignored by a wildcard', { '.gitignore': '.env*\n!.env.example\n' }, { '.env.local': SECRET }, []],
    ['ignored from the root', { '.gitignore': '/.env\n' }, { '.env': SECRET }, []],
    ['ignored and taken back', { '.gitignore': '.env*\n!.env\n' }, { '.env': SECRET }, ['.env env-file-not-ignored']],
    ['ignored elsewhere only', { '.gitignore': '/api/.env\n' }, { '.env': SECRET }, ['.env env-file-not-ignored']],
    ['a pattern that is none', { '.gitignore': '[]\n.env[\n' }, { '.env': SECRET }, ['.env env-file-not-ignored']],
  ])('%s', async (_, tracked, untracked, expected) => {
    expect(await rulesFor(repository(tracked, untracked))).toEqual(expected);
  });

  it.each([
    ['by folder', 'conf/\n'],
    ['at any depth', '**/.env\n'],
    ['by a path', 'conf/*/.env\n'],
  ])('a nested one is ignored %s', async (_, text) => {
    const folder = repository({ '.gitignore': text }, { 'conf/a/.env': SECRET, 'other/a.env.txt': '' });
    expect((await reportOn([join(folder, 'conf/a/.env')], folder)).findings).toEqual([]);
  });

  it('outside a repository nobody is told about .env', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cordon-check-none-'));
    writeFileSync(join(folder, '.env'), SECRET);
    expect(await rulesFor(folder)).toEqual([]);
  });

  it('git decides what is tracked, however it writes its index', async () => {
    for (const [init, more] of [
      [[], []],
      [['--object-format=sha256'], []],
      [[], ['update-index', '--index-version', '4']],
    ] as [string[], string[]][]) {
      const folder = repository({ 'aa/.env': SECRET, 'aa/.envoy': '', 'ab/c': '', 'b/.env': SECRET }, {}, init);
      if (more.length > 0) git(folder, ...more);
      git(folder, 'rm', '-q', '--cached', 'b/.env');
      expect((await rulesFor(folder)).filter((line) => line.endsWith('tracked'))).toEqual(['aa/.env env-file-tracked']);
    }
  });

  it('a worktree has an index of its own', async () => {
    const folder = repository({ 'sub/.env': SECRET });
    git(folder, 'commit', '-qm', 'x');
    const tree = join(folder, 'tree');
    git(folder, 'worktree', 'add', '-q', tree);
    expect(await rulesFor(tree)).toEqual(['sub/.env env-file-tracked', 'sub/.env secret-in-plain-text']);
  });

  it('an index that is cut short or binary nonsense ends the list', () => {
    const folder = repository({ 'a/.env': SECRET, 'b/.env': SECRET });
    const index = readFileSync(join(folder, '.git/index'));
    for (let end = 0; end < index.length; end += 7) expect(pathsOf(index.subarray(0, end), 20).length).toBeLessThan(3);
    expect(pathsOf(Buffer.alloc(4096, 0xff), 20)).toEqual([]);
  });
});

describe('package scripts', () => {
  const rules = async (script: string) =>
    (await findingsIn('package.json', JSON.stringify({ scripts: { go: script } }))).map((line) => line.split(' ')[1]);

  it.each([
    ['dotenv -e .env -- claude -p "fix it"', 'env-file-to-agent'],
    ['set -a && . ./.env && set +a && codex exec x', 'env-file-to-agent'],
    ['export $(cat .env | xargs) && npx @google/gemini-cli', 'env-file-to-agent'],
    ['env-cmd -f .env.local claude', 'env-file-to-agent'],
    ['dotenvx run -- npm ci', 'env-file-to-install-scripts'],
    ['source .env; pnpm install', 'env-file-to-install-scripts'],
    [`cross-env GITHUB_TOKEN=${TOKEN} semantic-release`, 'literal-credential'],
    [`API_TOKEN=hunter2hunter2 node server.js`, 'secret-in-plain-text'],
    [`curl -H 'Authorization: Bearer ${TOKEN}' https://api.example`, 'literal-credential'],
    ['docker build --build-arg NPM_TOKEN .', 'credential-in-build-arg'],
    ['docker run --env-file .env app', 'whole-env-file'],
  ])('%s: %s', async (script, rule) => {
    expect(await rules(script)).toEqual([rule]);
  });

  it.each([
    'dotenv -e .env -- next dev',
    'claude -p "read .env.example"',
    'dotenv -e .env -- cordon run -- claude',
    'npm ci && dotenv -- node server.js',
    'cross-env NODE_ENV=production API_TOKEN=$API_TOKEN vite build',
    `curl -H "Authorization: Bearer ${$('TOKEN')}" https://api.example`,
    'vitest run && tsc --noEmit',
    'docker build -t app .',
  ])('%s is fine', async (script) => {
    expect(await rules(script)).toEqual([]);
  });

  it('every tracked package of a workspace is looked at, none of node_modules', async () => {
    const bad = JSON.stringify({ scripts: { ai: 'dotenv -- claude' } });
    const folder = repository({ 'packages/a/package.json': bad, 'node_modules/b/package.json': bad });
    expect(await rulesFor(folder)).toEqual(['packages/a/package.json env-file-to-agent']);
  });
});

describe('a reference is not a credential', () => {
  it.each([
    'echo "//registry.npmjs.org/:_authToken=$NPM_TOKEN" > .npmrc',
    `echo '//registry.npmjs.org/:_authToken=${$('NPM_TOKEN')}' > .npmrc`,
    'echo "//registry.npmjs.org/:_authToken=\\$NPM_TOKEN" >> .npmrc',
    'npm config set //registry.npmjs.org/:_authToken $NPM_TOKEN',
    'npm config set //registry.npmjs.org/:_authToken=$(cat /run/secrets/npm)',
    'npm config set //registry.npmjs.org/:_authToken=`cat /run/secrets/npm`',
    'npm config set //registry.npmjs.org/:_authToken=%NPM_TOKEN%',
    'npm config set //registry.npmjs.org/:_authToken=$env:NPM_TOKEN',
    'npm config set "//registry.npmjs.org/:_authToken=YOUR_TOKEN_HERE"',
    'git clone https://x-access-token:$TOKEN@github.com/a/b',
    'git clone https://$1@github.com/a/b',
    'git clone https://oauth2:$(cat token)@gitlab.com/a/b',
  ])('%s', async (command) => {
    expect(await findingsIn('Dockerfile', `FROM x\nRUN ${command}\n`)).toEqual([]);
  });

  it.each([
    `echo "//registry.npmjs.org/:_authToken=npm_${'a1B2'.repeat(9)}" > .npmrc`,
    'echo "//registry.npmjs.org/:_authToken=0f9a8b7c-1d2e-4f3a-8b9c-0d1e2f3a4b5c" > .npmrc',
    `curl -H "X: $(echo ${TOKEN})" https://x`,
    'git clone https://bob:hunter2hunter@github.com/a/b',
    'git clone https://$USER:hunter2hunter@github.com/a/b',
  ])('%s is one', async (command) => {
    expect(await findingsIn('Dockerfile', `FROM x\nRUN ${command}\n`)).toEqual(['2:1 literal-credential']);
  });
});

describe('entries of a policy', () => {
  const rules = async (environment: object) =>
    (await findingsIn('p.json', JSON.stringify({ environment }))).map((line) => line.split(' ')[1]);

  it('a credential is one by its name, whatever the shell that checks has', async () => {
    expect(await rules({ allow_vars: ['MY_API_KEY'] })).toEqual(['credential-by-name']);
    expect(await rules({ allow_vars: ['MY_LANGUAGE'] })).toEqual([]);
  });

  it.each([
    [{ guard: 'strip', allow_vars: ['GITHUB_TOKEN', 'LANG'] }],
    [{ guard: 'strip', allow_vars: ['MY_SECRET_*'] }],
    [{ allow_vars: ['COLOUR', 'LANG'], deny_vars: ['COLOUR'] }],
  ])('%j has one that never passes', async (environment) => {
    expect(await rules(environment)).toEqual(['entry-always-dropped']);
  });

  it.each([
    [{ guard: 'strip', allow_vars: ['LANG', 'NODE_*'] }],
    [{ guard: 'strip', allow_vars: ['MAP_KEY'], guard_exceptions: { MAP_KEY: 'the letter that opens the map' } }],
    [{ allow_vars: ['LANG'], deny_vars: ['COLOUR'] }],
  ])('%j has none', async (environment) => {
    expect(await rules(environment)).toEqual([]);
  });
});

describe('--fix', () => {
  it('mends what is safe, and leaves values and everything else as they are', async () => {
    const compose =
      'services:\n  a:\n    # cordon-check: allow whole-env-file gone\n    image: x # cordon-check: allow whole-env-file gone too\n';
    const folder = repository({ '.gitignore': 'dist', 'compose.yaml': compose }, { '.env': SECRET });
    write(folder, { 'secrets.yaml': 'sandboxed_envs:\n  A: "x"\n' });
    chmodSync(join(folder, 'secrets.yaml'), 0o644);
    const files = ['.env', 'compose.yaml', 'secrets.yaml'].map((name) => join(folder, name));
    const fixed = await fixFindings(await reportOn(files, folder), folder);
    expect(fixed.map(({ rule }) => rule).toSorted()).toEqual([
      'env-file-not-ignored',
      'secrets-file-open',
      'silenced-nothing',
    ]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('dist\n/.env\n');
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toBe(
      'services:\n  a:\n    image: x # cordon-check: allow whole-env-file gone too\n',
    );
    expect(statSync(join(folder, 'secrets.yaml')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(SECRET);
    expect((await reportOn(files, folder)).findings.map(({ rule }) => rule)).toEqual(['silenced-nothing']);
  });

  it('never through a link, and what cannot be mended is still said', async () => {
    const folder = repository({ 'a.txt': 'mine\n' }, { '.env': SECRET });
    symlinkSync('a.txt', join(folder, '.gitignore'));
    const found = await reportOn([join(folder, '.env')], folder);
    expect(await fixFindings(found, folder)).toEqual([]);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine\n');
  });

  it('a committed value stays a finding', async () => {
    const folder = repository({ '.env': SECRET });
    appendFileSync(join(folder, '.env'), '');
    expect(await fixFindings(await reportOn([join(folder, '.env')], folder), folder)).toEqual([]);
  });
});
