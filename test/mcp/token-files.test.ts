import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { INITIALIZE, post, startServer } from './http-support.ts';
import { Place } from './support.ts';

async function cordon(place: Place, ...words: string[]) {
  const running = place.start(['serve', 'token', ...words]);
  return { code: await running.ended, out: running.stdout.trim(), err: running.stderr };
}

async function tokenOf(place: Place, name: string, file: string): Promise<string> {
  const { code, out, err } = await cordon(place, 'add', name, '--tokens', file);
  expect([code, err]).toEqual([0, expect.stringContaining('only a hash of it is kept')]);
  return out;
}

const statusOf = async (origin: string, token: string) => (await post({ origin }, token, INITIALIZE)).status;

/** As kubelet changes a mounted Secret: a new folder, and one link that is turned to it. */
class Mount {
  readonly path: string;
  readonly #place: Place;
  #version = 0;

  constructor(place: Place) {
    this.#place = place;
    this.path = join(place.home, 'mount');
    mkdirSync(this.path);
  }

  /** The names of the files are there from the first time on. */
  show(files: Readonly<Record<string, string>>): void {
    const folder = `..2026_${++this.#version}`;
    mkdirSync(join(this.path, folder));
    for (const [name, text] of Object.entries(files)) {
      // Handed out to a group, as with fsGroup.
      this.#place.write(join(this.path, folder, name), text, 0o440);
      if (this.#version === 1) symlinkSync(`..data/${name}`, join(this.path, name));
    }
    symlinkSync(folder, join(this.path, '..data_tmp'));
    renameSync(join(this.path, '..data_tmp'), join(this.path, '..data'));
  }
}

describe.each(USERS)('tokens that several servers share, as %s', (user) => {
  test('a file with one on each line: made, listed, removed, and what is cut off harms no other', async () => {
    const place = new Place(user);
    const file = join(place.home, 'shared.jsonl');
    const [alice, bob] = await Promise.all([tokenOf(place, 'alice', file), tokenOf(place, 'bob', file)]);
    expect(readFileSync(file, 'utf8')).not.toMatch(/cordon_/);
    const { origin } = await startServer(place, ['--tokens', file]);
    expect([await statusOf(origin, alice), await statusOf(origin, bob)]).toEqual([200, 200]);
    appendFileSync(file, '{"id":"0123');
    const again = await tokenOf(place, 'alice', file);
    expect((await cordon(place, 'rm', 'bob', '--tokens', file)).code).toBe(0);
    const seen = [await statusOf(origin, alice), await statusOf(origin, bob), await statusOf(origin, again)];
    expect(seen).toEqual([200, 401, 200]);
    const { out, err } = await cordon(place, 'list', '--json', '--tokens', file);
    expect(JSON.parse(out).map((one: { user: string }) => one.user)).toEqual(['alice', 'alice']);
    expect(err).toMatch(/line 3 of .*shared\.jsonl holds no token, and is not used/);
  });

  test('a file of a folder that is emptied or opened where it lies lets nobody in', async () => {
    const place = new Place(user);
    const folder = join(place.home, 'shared');
    const [alice, bob] = [await tokenOf(place, 'alice', folder), await tokenOf(place, 'bob', folder)];
    const { origin } = await startServer(place, ['--tokens', folder]);
    const both = async () => [await statusOf(origin, alice), await statusOf(origin, bob)];
    expect(await both()).toEqual([200, 200]);
    const records = readdirSync(folder).map((name) => join(folder, name));
    const recordOf = (name: string) => records.find((path) => readFileSync(path, 'utf8').includes(name)) as string;
    writeFileSync(recordOf('alice'), '');
    chmodSync(recordOf('bob'), 0o666);
    expect(await both()).toEqual([401, 401]);
  });

  test('a folder of them; one that others may write is not used', async () => {
    const place = new Place(user);
    const folder = join(place.home, 'shared');
    const [alice, bob] = [await tokenOf(place, 'alice', folder), await tokenOf(place, 'bob', folder)];
    const { origin, server } = await startServer(place, ['--tokens', folder]);
    expect([await statusOf(origin, alice), await statusOf(origin, bob)]).toEqual([200, 200]);
    expect((await cordon(place, 'rm', 'alice', '--tokens', folder)).code).toBe(0);
    expect([await statusOf(origin, alice), await statusOf(origin, bob)]).toEqual([401, 200]);
    chmodSync(folder, 0o777);
    place.write(join(folder, 'touched'), '');
    expect(await statusOf(origin, bob)).toBe(401);
    await server.says('others may write in it');
  });

  test.each(['the file', 'the folder'])(
    'a Secret that is mounted and changed: %s is read anew at once',
    async (which) => {
      const place = new Place(user);
      const file = join(place.home, 'tokens.jsonl');
      const [alice, bob] = [await tokenOf(place, 'alice', file), await tokenOf(place, 'bob', file)];
      const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
      const mount = new Mount(place);
      mount.show({ 'tokens.jsonl': `${first}\n` });
      const given = which === 'the file' ? join(mount.path, 'tokens.jsonl') : mount.path;
      const servers = await Promise.all([0, 1].map(() => startServer(place, ['--tokens', given])));
      const seen = () =>
        Promise.all(servers.map(async ({ origin }) => [await statusOf(origin, alice), await statusOf(origin, bob)]));
      expect(await seen()).toEqual([
        [200, 401],
        [200, 401],
      ]);
      mount.show({ 'tokens.jsonl': `${second}\n` });
      expect(await seen()).toEqual([
        [401, 200],
        [401, 200],
      ]);
      const refused = await cordon(place, 'add', 'alice', '--tokens', join(mount.path, 'tokens.jsonl'));
      expect([refused.code, refused.err]).toEqual([
        125,
        expect.stringMatching(/cannot be changed here[\s\S]*the Secret/),
      ]);
    },
  );

  test('a change that the time of the file does not show is seen within a second', async () => {
    const place = new Place(user);
    const file = join(place.home, 'tokens.jsonl');
    const [alice, bob] = [await tokenOf(place, 'alice', file), await tokenOf(place, 'bob', file)];
    const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
    const [long, short] = [first, second].map((line) => line.padEnd(400));
    writeFileSync(file, `${long}\n`);
    const { origin } = await startServer(place, ['--tokens', file]);
    for (const [text, expected] of [
      [short, [401, 200]],
      [long, [200, 401]],
      [short, [401, 200]],
    ] as const) {
      const began = performance.now();
      writeFileSync(file, `${text}\n`);
      let seen: number[] = [];
      while (String(seen) !== String(expected) && performance.now() - began < 1000)
        seen = [await statusOf(origin, alice), await statusOf(origin, bob)];
      expect(seen).toEqual(expected);
    }
  });

  test('tokens among the workspaces are refused: commands could write themselves one', async () => {
    const place = new Place(user);
    const file = join(place.workspaceOf('alice'), 'tokens.jsonl');
    await tokenOf(place, 'alice', file);
    const server = place.start(['serve', '--workspaces', place.workspaces, '--tokens', file]);
    expect(await server.ended).toBe(125);
    await server.says('the tokens lie among the workspaces');
  });
});
