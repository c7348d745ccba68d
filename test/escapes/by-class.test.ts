import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mounting } from '../../prove/scripts.ts';
import { type Hex, LOOK, PLANT, type Places, pathOf, placesIn } from '../support/escape-places.ts';
import { Scene } from '../support/escape-scene.ts';
import { NOTHING, WAYS, type Way } from '../support/escape-ways.ts';
import { USERS, type User } from '../support/users.ts';

// Names that stand on no list: what holds here holds because of where a thing is and what it is, not because someone thought of it.

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];
const OF_THE_SYSTEM = ['/var/lib', '/opt', '/srv'];
const IN_HOME = ['', '/.config', '/.local/share', '/.local/state', '/.var/app', '/Documents', '/code/other'];
const WRITTEN_IN_HOME = [...IN_HOME, '/.cache', '/.local/lib', '/.local/bin', '/.ssh', '/bin'];

/** /run as it would be on a machine with sessions, in a mount namespace of its own: nobody else's /run is touched. */
class Machine {
  readonly scene: Scene;
  /** What is seen as the runtime folder, and as a folder of a service in /run. */
  readonly #bound: ReadonlyMap<string, string>;

  constructor(user: User) {
    this.scene = new Scene(user);
    const { uid } = this.scene;
    this.#bound = new Map([
      [`/run/user/${uid}`, this.scene.folder('bound/runtime', 0o700)],
      ['/run/service', this.scene.folder('bound/service')],
    ]);
  }

  get runtime(): readonly string[] {
    return [...this.#bound.keys()];
  }

  get starter(): readonly string[] {
    const binds = [...this.#bound].map(([seen, kept]) => `mkdir -p ${seen} && mount --bind ${kept} ${seen}`);
    return mounting(this.scene, ['mount -t tmpfs -o mode=755 tmpfs /run', ...binds].join(' && '));
  }

  /** Where a place really is. */
  outside(place: Hex): Hex {
    for (const [seen, kept] of this.#bound) {
      const start = Buffer.from(`${seen}/`).toString('hex');
      if (place.startsWith(start)) return Buffer.from(`${kept}/`).toString('hex') + place.slice(start.length);
    }
    return place;
  }
}

function placesOn({ scene, runtime }: Machine): fc.Arbitrary<Places> {
  const { home, user } = scene;
  const ofRoot = user === 'root' ? OF_THE_SYSTEM : [];
  const homes = IN_HOME.map((folder) => home + folder);
  return fc.record({
    files: placesIn([...homes, ...homes, ...TEMPORARY, ...runtime], 60),
    sockets: placesIn([...homes, ...TEMPORARY, ...runtime, ...ofRoot], 40),
    pipes: placesIn([...homes, ...TEMPORARY, ...runtime, ...ofRoot], 30),
    writes: placesIn([...WRITTEN_IN_HOME.map((folder) => home + folder), ...TEMPORARY, ...runtime, ...ofRoot], 60),
  });
}

/** Everything that came through, by kind. */
async function came(way: Way, machine: Machine, places: Places): Promise<Places> {
  const { scene } = machine;
  const { files, sockets, pipes, writes } = places;
  scene.atEnd(() => removeShared(scene, Object.values(places).flat()));
  const made = [files, sockets, pipes].map((some) => some.map((place) => machine.outside(place)));
  const list = scene.file('.planted.json', JSON.stringify({ files: made[0], sockets: made[1], pipes: made[2] }));
  await scene.process(['python3', '-c', PLANT, list, scene.canary]);
  scene.file('work/places.json', JSON.stringify({ places, canary: scene.canary }));
  scene.file('work/look.py', LOOK);
  const told = await way.run(scene, machine.starter, ['python3', 'look.py']);
  expect(existsSync(`${scene.work}/found.json`), told).toBe(true);
  const found = JSON.parse(readFileSync(`${scene.work}/found.json`, 'utf8')) as Omit<Places, 'writes'>;
  const landed = writes.filter((place) => isThere(machine.outside(place)));
  return { ...found, writes: landed };
}

const isThere = (place: Hex) => lstatSync(pathOf(place), { throwIfNoEntry: false }) !== undefined;

/** What lies in the home goes with the scene. */
function removeShared({ home }: Scene, places: readonly Hex[]): void {
  const paths = places.map(pathOf).filter((path) => !startsWith(path, `${home}/`));
  for (const folder of [...TEMPORARY, ...OF_THE_SYSTEM])
    for (const path of paths.filter((one) => startsWith(one, `${folder}/`))) {
      const end = path.indexOf('/', folder.length + 1);
      rmSync(end === -1 ? path : path.subarray(0, end), { recursive: true, force: true });
    }
}

const startsWith = (path: Buffer, start: string) =>
  path.subarray(0, Buffer.byteLength(start)).equals(Buffer.from(start));

/** How many of each kind came through, with some of them: all would be a page. */
function summary(came: Places, all: Places): Record<keyof Places, string> {
  const told = (kind: keyof Places) => {
    const some = came[kind].slice(0, 5).map((place) => pathOf(place).toString('latin1'));
    return [`${came[kind].length} of ${all[kind].length}`, ...some].join('\n');
  };
  return { files: told('files'), sockets: told('sockets'), pipes: told('pipes'), writes: told('writes') };
}

/** One batch of places, by the printed seed. */
async function tried(way: Way, user: User): Promise<{ found: Places; places: Places }> {
  const machine = new Machine(user);
  const [places] = fc.sample(placesOn(machine), 1) as [Places];
  return { found: await came(way, machine, places), places };
}

const NONE: Places = { files: [], sockets: [], pipes: [], writes: [] };

describe.each(USERS)('unlisted places, for %s', (user) => {
  it.each(WAYS.map((way) => [way.name, way] as const))('nothing comes through %s', async (_, way) => {
    const { found, places } = await tried(way, user);
    expect(summary(found, places)).toEqual(summary(NONE, places));
  });

  it('everything comes through where there is no Cordon', async () => {
    const { found, places } = await tried(NOTHING, user);
    expect(summary(found, places)).toEqual(summary(places, places));
  });
});
