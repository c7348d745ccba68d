import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { CordonError } from '../../src/host/errors.ts';
import { findOwnProgram, trustedPath } from '../../src/host/own-program.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { helperRunner } from '../../src/launch/run-helper.ts';
import { homeWith, INSTALLED_PLACES, PROJECT_PLACES } from '../support/program-places.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { ONLY_ROOT } from '../support/users.ts';

function programIn(folder: string, said = 'planted'): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'op'), `#!/bin/sh\necho ${said} $OP_SESSION_my\n`, { mode: 0o755 });
  return folder;
}

const find = (path: readonly string[], workdir: string) =>
  findOwnProgram(bytesOfText('op'), ParentEnv.fromRecord({ PATH: path.join(':') }), [workdir]);

/** A repository with a folder in it where somebody works. */
function newWork() {
  const repository = trustedFolder('work');
  mkdirSync(join(repository, '.git'));
  const workdir = join(repository, 'packages/app');
  mkdirSync(workdir, { recursive: true });
  return { repository, workdir };
}

type Work = ReturnType<typeof newWork>;
const PLANTED: [string, (work: Work) => string][] = [
  ['the working folder', ({ workdir }) => programIn(join(workdir, 'node_modules/.bin'))],
  ['its repository', ({ repository }) => programIn(join(repository, 'venv/bin'))],
  ['the folder for temporary files', () => programIn(mkdtempSync('/tmp/cordon-planted-'))],
  ['a folder that everybody may write', () => opened(0o777)],
  // The group of an ordinary user's own counts as the user.
  ...(process.getuid?.() === 0
    ? [['a folder that a group may write', () => opened(0o775)] as [string, () => string]]
    : []),
  [
    'a link to the workspace',
    ({ repository }) => {
      const folder = trustedFolder('links');
      symlinkSync(join(programIn(join(repository, 'bin')), 'op'), join(folder, 'op'));
      return folder;
    },
  ],
  [
    'a link of PATH itself',
    ({ repository }) => {
      const folder = join(trustedFolder('links'), 'bin');
      symlinkSync(programIn(join(repository, 'bin')), folder);
      return folder;
    },
  ],
];

function opened(mode: number): string {
  const folder = join(trustedFolder('open'), 'shared');
  programIn(join(folder, 'bin'));
  chmodSync(folder, mode);
  return join(folder, 'bin');
}

describe('a program that Cordon starts by itself is never taken from', () => {
  test.each(PLANTED)('%s: the next of PATH is', (_, plant) => {
    const work = newWork();
    const [planted, good] = [plant(work), programIn(trustedFolder('good'), 'good')];
    expect(find([planted, good], work.workdir)).toBe(join(good, 'op'));
  });

  test.each(PLANTED)('%s: alone it is refused by its name', (_, plant) => {
    const work = newWork();
    const planted = plant(work);
    expect(() => find([planted], work.workdir)).toThrow(join(planted, 'op'));
  });

  test('a repository around a submodule', () => {
    const { repository, workdir } = newWork();
    writeFileSync(join(workdir, '.git'), 'gitdir: ../../.git/modules/app\n');
    expect(() => find([programIn(join(repository, 'bin'))], workdir)).toThrow(/found only where a command can write/);
  });

  test('relative folders of PATH', () => {
    expect(() => find(['.', '', 'bin'], newWork().workdir)).toThrow(/was not found/);
  });

  test('a path that a profile names', () => {
    const { workdir } = newWork();
    const file = bytesOfText(join(programIn(workdir), 'op'));
    expect(() => findOwnProgram(file, ParentEnv.fromRecord({}), [workdir])).toThrow(CordonError);
  });
});

describe('of the folders in a home', () => {
  const findIn = ({ home, place, work }: ReturnType<typeof homeWith>) =>
    findOwnProgram(bytesOfText('op'), ParentEnv.fromRecord({ PATH: programIn(place), HOME: home }), [work]);

  test.each(INSTALLED_PLACES)('$folder is where programs are installed', (place) => {
    const made = homeWith(place);
    expect(findIn(made)).toBe(join(made.place, 'op'));
  });

  test.each(PROJECT_PLACES)('$folder is a project of commands (repository $repository)', (place) => {
    expect(() => findIn(homeWith(place))).toThrow(/found only where a command can write/);
  });

  test('a program of another project never sees the session of a password manager', async () => {
    const { home, place, work } = homeWith({ folder: 'other/venv/bin' });
    const env = ParentEnv.fromRecord({ PATH: programIn(place), HOME: home, OP_SESSION_my: 'token' });
    const run = helperRunner(env, [work]);
    const result = await run({ argv: ['op', 'read'], lend: ['OP_*'], signal: AbortSignal.timeout(10_000) });
    expect(result).toMatchObject({ outcome: 'untrusted' });
  });
});

describe('a program that Cordon starts by itself finds others', () => {
  const pathOf = (path: readonly string[], workdir: string, more: Record<string, string> = {}) =>
    trustedPath(ParentEnv.fromRecord({ PATH: path.join(':'), ...more }), [workdir]);
  // A link to a file is what somebody has put into a folder that no command writes.
  const folders = PLANTED.filter(([name]) => name !== 'a link to the workspace');

  test.each(folders)('never in %s', (_, plant) => {
    const work = newWork();
    const [planted, good] = [plant(work), programIn(trustedFolder('good'))];
    expect(pathOf([planted, good, '/usr/bin'], work.workdir)).toBe(`${good}:/usr/bin`);
  });

  test('never in a relative folder, or in one that is not there', () => {
    const { workdir } = newWork();
    expect(pathOf(['', '.', 'bin', '/usr/no-such-folder', '/usr/bin'], workdir)).toBe('/usr/bin');
  });

  test('in those of the system where nothing else is left', () => {
    const { workdir } = newWork();
    expect(pathOf([join(workdir, 'bin')], workdir)).toBe('/usr/sbin:/usr/bin:/sbin:/bin');
    expect(trustedPath(ParentEnv.fromRecord({}), [workdir])).toBe('/usr/sbin:/usr/bin:/sbin:/bin');
  });

  test.each(INSTALLED_PLACES)('in $folder of a home', (folder) => {
    const { home, place, work } = homeWith(folder);
    expect(pathOf([programIn(place), '/usr/bin'], work, { HOME: home })).toBe(`${place}:/usr/bin`);
  });

  test.each(PROJECT_PLACES)('not in $folder of a home (repository $repository)', (folder) => {
    const { home, place, work } = homeWith(folder);
    expect(pathOf([programIn(place), '/usr/bin'], work, { HOME: home })).toBe('/usr/bin');
  });

  test('when it is a helper that knows secrets', async () => {
    const { workdir } = newWork();
    const [planted, good] = [join(workdir, '.venv/bin'), trustedFolder('good')];
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, 'inner'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    writeFileSync(join(good, 'inner'), '#!/bin/sh\necho good\n', { mode: 0o755 });
    writeFileSync(join(good, 'op'), '#!/bin/sh\ninner\n', { mode: 0o755 });
    const run = helperRunner(ParentEnv.fromRecord({ PATH: `${planted}:${good}:/usr/bin:/bin` }), [workdir]);
    const result = await run({ argv: ['op'], signal: AbortSignal.timeout(10_000) });
    expect(result).toMatchObject({ outcome: 'exited', stdout: Buffer.from('good\n') });
  });
});

test('a look-alike beside the working folder is none of it', () => {
  const parent = trustedFolder('parent');
  const [workdir, beside] = [join(parent, 'app'), programIn(join(parent, 'app-tools'))];
  mkdirSync(workdir);
  expect(find([beside], workdir)).toBe(join(beside, 'op'));
});

test.each(ONLY_ROOT)('for %s a folder that the system gave to a group of others is none of this user’s', () => {
  const folder = programIn(trustedFolder('staff'));
  chownSync(folder, 0, 50_000);
  chmodSync(folder, 0o2775);
  expect(find([folder], newWork().workdir)).toBe(join(folder, 'op'));
});

test('whoever works in / can still use what the system has', () => {
  expect(findOwnProgram(bytesOfText('sh'), ParentEnv.fromRecord({ PATH: '/usr/bin:/bin' }), ['/'])).toMatch(/\/sh$/);
});

test('a planted helper never sees the session of a password manager', async () => {
  const { workdir } = newWork();
  const env = ParentEnv.fromRecord({ PATH: programIn(join(workdir, 'bin')), OP_SESSION_my: 'token' });
  const run = helperRunner(env, [workdir]);
  const result = await run({ argv: ['op', 'read'], lend: ['OP_*'], signal: AbortSignal.timeout(10_000) });
  expect(result).toMatchObject({ outcome: 'untrusted' });
});

test('the folder for temporary files is known by more than its name', () => {
  const link = join(trustedFolder('links'), 'elsewhere');
  symlinkSync(programIn(mkdtempSync(join(tmpdir(), 'cordon-planted-'))), link);
  expect(() => find([link], newWork().workdir)).toThrow(/found only where/);
});
