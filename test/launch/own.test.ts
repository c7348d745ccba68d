import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldersOf, packageFolder } from '../../src/host/folders.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { ownOf } from '../../src/launch/own.ts';

const scene = () => mkdtempSync(join(tmpdir(), 'cordon-own-'));

/** The home that the system knows of; the real one is left alone. */
const PASSWD_HOME = scene();

/** One that cannot keep layers in memory. */
const OLD_KERNEL = '6.5.13-generic';

function own(record: Record<string, string>, how: 'keep' | 'look' = 'look', writable: readonly string[] = []) {
  const folders = foldersOf(ParentEnv.fromRecord(record));
  const homes = { home: record.HOME, passwdHome: PASSWD_HOME };
  return ownOf({ homes, folders, policyFiles: [], how, writable, kernel: OLD_KERNEL });
}

describe('Cordon’s own places', () => {
  it('are those of this launch, of HOME and of the home that the system knows of', () => {
    const { places } = own({ HOME: '/home/ada', CORDON_HOME: '/srv/cordon' });
    expect(places.out).toEqual(
      expect.arrayContaining([
        '/srv/cordon/state',
        '/home/ada/.local/state/cordon',
        join(PASSWD_HOME, '.local/state/cordon'),
      ]),
    );
    expect(places.read).toEqual(
      expect.arrayContaining(['/srv/cordon', '/home/ada/.local/share/cordon/bin', packageFolder()]),
    );
  });

  it('what links among them lead to is kept likewise', () => {
    const home = scene();
    mkdirSync(join(home, 'profiles'));
    for (const name of ['web.json', 'secrets.yaml']) writeFileSync(join(home, name.replace('secrets', 'mine')), '');
    symlinkSync(join(home, 'web.json'), join(home, 'profiles/web.json'));
    symlinkSync(join(home, 'mine.yaml'), join(home, 'secrets.yaml'));
    const { places } = own({ CORDON_HOME: home });
    expect(places.read).toContain(join(home, 'web.json'));
    expect(places.out).toContain(join(home, 'mine.yaml'));
  });

  it('are made where the command could make them itself', () => {
    const home = scene();
    own({ CORDON_HOME: join(home, 'a') }, 'look', ['/']);
    expect(existsSync(join(home, 'a'))).toBe(false);
    own({ CORDON_HOME: join(home, 'a') }, 'keep', [home]);
    expect(readdirSync(join(home, 'a')).toSorted()).toEqual(['bin', 'state']);
  });
});

describe('the list of homes that Cordon was used with', () => {
  it('keeps the folders of one launch from the next, whatever its variables say', () => {
    const [one, other] = [scene(), scene()];
    own({ CORDON_HOME: one });
    expect(own({ CORDON_HOME: other }).places.out).not.toContain(join(one, 'state'));
    for (const name of ['state', 'bin']) mkdirSync(join(one, name), { recursive: true });
    own({ CORDON_HOME: one }, 'keep');
    own({ CORDON_HOME: one }, 'keep');
    const { places } = own({ CORDON_HOME: other });
    expect(places.out).toEqual(expect.arrayContaining([join(one, 'state'), join(one, 'secrets.yaml')]));
    expect(places.read).toContain(join(one, 'bin'));
    const file = join(PASSWD_HOME, '.local/state/cordon/homes');
    expect(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith(one)),
    ).toHaveLength(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are not those of a line that somebody is just writing, and such a line is not kept', () => {
    const passwdHome = scene();
    const folder = join(passwdHome, '.local/state/cordon');
    const file = join(folder, 'homes');
    mkdirSync(folder, { recursive: true });
    const whole = Array.from({ length: 70 }, (_, at) => `config ${join(scene(), String(at))}`);
    writeFileSync(file, `${whole.join('\n')}\nstate /tmp/`);
    const folders = foldersOf(ParentEnv.fromRecord({ CORDON_HOME: scene() }));
    const homes = { home: undefined, passwdHome };
    const { places } = ownOf({ homes, folders, policyFiles: [], how: 'keep', kernel: OLD_KERNEL });
    expect(places.out).not.toContain('/tmp');
    expect(readFileSync(file, 'utf8')).not.toMatch(/^state \/tmp\/$/m);
    expect(readFileSync(file, 'utf8')).toContain(`config ${folders.config}\n`);
  });

  it('says nothing about the usual folders, and forgets those that are gone when it grows long', () => {
    const home = scene();
    const file = join(home, '.local/state/cordon/homes');
    const keep = (record: Record<string, string>) => {
      const folders = foldersOf(ParentEnv.fromRecord(record));
      ownOf({ homes: { home, passwdHome: home }, folders, policyFiles: [], how: 'keep' });
    };
    keep({ HOME: home });
    expect(existsSync(file)).toBe(false);
    for (let i = 0; i < 40; i++) keep({ CORDON_HOME: `/nonexistent/${i}` });
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(80);
  });

  it('that cannot be written stops nothing', () => {
    const folders = foldersOf(ParentEnv.fromRecord({ CORDON_HOME: '/nonexistent/x' }));
    const homes = { home: undefined, passwdHome: '/proc/nothing' };
    expect(() => ownOf({ homes, folders, policyFiles: [], how: 'keep' })).not.toThrow();
  });
});

describe('the folder of layers', () => {
  it('has a name that nobody can guess, made once, in a file of its own', () => {
    const home = scene();
    mkdirSync(join(home, 'state'));
    expect(own({ CORDON_HOME: home }).aside).toBeUndefined();
    expect(readdirSync(join(home, 'state'))).toEqual([]);
    const { aside } = own({ CORDON_HOME: home }, 'keep');
    expect(aside).toMatch(/^\/var\/tmp\/cordon-[0-9a-f]{32}$/);
    expect(own({ CORDON_HOME: home }).aside).toBe(aside);
    expect(own({ CORDON_HOME: home }, 'keep').places.out).toContain(aside);
    expect(statSync(join(home, 'state/layers')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, 'state/layers'), 'utf8')).toBe(`${aside}\n`);
  });

  it('any other text in that file is none', () => {
    const home = scene();
    mkdirSync(join(home, 'state'));
    writeFileSync(join(home, 'state/layers'), '/etc\n');
    expect(own({ CORDON_HOME: home }, 'keep').aside).toBeUndefined();
  });
});

describe('the package', () => {
  it('is the folder whose package.json is named cordon, or all of the node_modules it lies in', () => {
    const root = scene();
    const inside = join(root, 'node_modules/cordon/dist/deep');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(root, 'node_modules/cordon/package.json'), '{"name":"cordon"}');
    writeFileSync(join(root, 'node_modules/cordon/dist/package.json'), '{"type":"module"}');
    expect(packageFolder(inside)).toBe(join(root, 'node_modules'));
    const checkout = join(root, 'checkout/src');
    mkdirSync(checkout, { recursive: true });
    writeFileSync(join(root, 'checkout/package.json'), '{"name":"cordon"}');
    expect(packageFolder(checkout)).toBe(join(root, 'checkout'));
  });

  it('here is this checkout', () => {
    expect(existsSync(join(packageFolder(), 'package.json'))).toBe(true);
  });
});
