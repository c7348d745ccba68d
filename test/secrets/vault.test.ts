import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { encryptFor } from '../../src/secrets/vault/crypt.ts';
import { newest, replace } from '../../src/secrets/vault/generations.ts';
import { ROOT } from '../support/project.ts';
import { newPlace, type Place } from './surroundings.ts';

const APPEND = fileURLToPath(new URL('fixtures/append.ts', import.meta.url));

const secret = (text: string) => new Secret(bytesOfText(text));
const folderOf = ({ state }: Place) => join(state, 'vault');
const vaultFile = (place: Place) => newest(folderOf(place))?.path ?? '';
const everything = (place: Place) =>
  readdirSync(folderOf(place))
    .map((name) => readFileSync(join(folderOf(place), name), 'latin1'))
    .join('\n');

describe('what is stored', () => {
  test('comes back, byte for byte, and can be changed and removed', async () => {
    const place = newPlace();
    const bytes = Array.from({ length: 255 }, (_, i) => String.fromCharCode(i + 1)).join('');
    await place.vault().set('ANY', new Secret(bytes as ReturnType<typeof bytesOfText>));
    await place.vault().set('openai', secret('first\nline two'));
    await place.vault().set('openai', secret('second'));
    expect((await place.vault().get('ANY'))?.reveal()).toBe(bytes);
    expect((await place.vault().get('openai'))?.reveal()).toBe('second');
    expect((await place.vault().list()).map(({ name }) => name)).toEqual(['ANY', 'openai']);
    expect(await place.vault().remove('ANY')).toBe(true);
    expect(await place.vault().remove('ANY')).toBe(false);
    expect(await place.vault().get('ANY')).toBeUndefined();
  });

  test('is encrypted, and only ours to read', async () => {
    const place = newPlace();
    await place.vault().set('NAME_OF_IT', secret('value-in-the-vault'));
    const stored = everything(place);
    expect(stored).toContain('age-encryption.org/v1');
    expect(stored).not.toMatch(/value-in-the-vault|NAME_OF_IT/);
    expect(stored).not.toContain(Buffer.from('value-in-the-vault').toString('base64').slice(0, 20));
    for (const name of readdirSync(folderOf(place)))
      expect(statSync(join(folderOf(place), name)).mode & 0o777).toBe(0o600);
    expect(statSync(folderOf(place)).mode & 0o777).toBe(0o700);
  });

  test('what was removed is in no file of the folder any more', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('a'.repeat(5000)));
    await place.vault().remove('A');
    expect(readdirSync(folderOf(place)).sort()).toEqual(['identity', 'vault.2.age']);
    expect(statSync(vaultFile(place)).size).toBeLessThan(1000);
  });

  test('a fingerprint tells values apart, and needs the key of the vault', async () => {
    const [one, other] = [newPlace(), newPlace()];
    for (const place of [one, other])
      for (const [name, value] of [
        ['A', 'same'],
        ['B', 'same'],
        ['C', 'else'],
      ])
        await place.vault().set(name as string, secret(value as string));
    const [a, b, c] = (await one.vault().list()).map(({ fingerprint }) => fingerprint);
    expect(a).toMatch(/^[0-9a-f]{8}$/);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    expect((await other.vault().list())[0]?.fingerprint).not.toBe(a);
  });

  test('an empty place has an empty vault, and reading makes nothing', async () => {
    const place = newPlace();
    expect(await place.vault().list()).toEqual([]);
    expect(await place.vault().get('A')).toBeUndefined();
    expect(existsSync(place.state)).toBe(false);
  });
});

describe('its key', () => {
  test('is in the keyring where one works', async () => {
    const place = newPlace({}, 'working');
    await place.vault().set('A', secret('value'));
    expect(place.vault().keyPlace()).toBe('keyring');
    expect(everything(place)).not.toContain('AGE-SECRET-KEY');
    expect((await place.vault().get('A'))?.reveal()).toBe('value');
    expect(readdirSync(join(place.home, 'keyring')).filter((name) => name.includes('probe'))).toEqual([]);
  });

  test.each(['none', 'refusing', 'forgetful'] as const)('is in a file where the keyring is %s', async (mode) => {
    const place = newPlace({}, mode);
    await place.vault().set('A', secret('value'));
    expect(place.vault().keyPlace()).toBe('file');
    expect((await place.vault().get('A'))?.reveal()).toBe('value');
  });

  test('under a passphrase', { timeout: 120_000 }, async () => {
    const place = newPlace();
    await place.vault(['pass wörd', 'pass wörd']).create('passphrase');
    expect(everything(place)).not.toContain('AGE-SECRET-KEY');
    await place.vault(['pass wörd']).set('A', secret('value'));
    expect((await place.vault(['pass wörd']).get('A'))?.reveal()).toBe('value');
    await expect(place.vault(['other']).get('A')).rejects.toThrow(/not the passphrase/);
    await place.vault(['pass wörd']).create('file');
    expect((await place.vault().get('A'))?.reveal()).toBe('value');
  });

  test('two passphrases that differ, or none, make nothing', async () => {
    const place = newPlace();
    await expect(place.vault(['a', 'b']).create('passphrase')).rejects.toThrow(/differ/);
    await expect(place.vault(['']).create('passphrase')).rejects.toThrow(/empty/);
    expect(place.vault().keyPlace()).toBeUndefined();
  });

  test('moves from the keyring to a file and leaves nothing behind', async () => {
    const place = newPlace({}, 'working');
    await place.vault().set('A', secret('value'));
    await place.vault().create('file');
    expect((await place.vault().get('A'))?.reveal()).toBe('value');
    expect(readdirSync(join(place.home, 'keyring'))).toEqual(['mode']);
  });

  test('gone from the keyring, or the keyring locked: said so, nothing lost', async () => {
    const place = newPlace({}, 'working');
    await place.vault().set('A', secret('value'));
    const before = everything(place);
    place.file('keyring/mode', 'refusing');
    await expect(place.vault().set('A', secret('other'))).rejects.toThrow(/locked/);
    place.file('keyring/mode', 'forgetful');
    await expect(place.vault().get('A')).rejects.toThrow(/no longer has the key/);
    expect(everything(place)).toBe(before);
  });

  test('a file that others may read is refused', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('value'));
    chmodSync(join(folderOf(place), 'identity'), 0o644);
    await expect(place.vault().get('A')).rejects.toMatchObject({ hint: expect.stringContaining('chmod 600') });
  });
});

describe('a damaged vault is refused, with what to do, and never overwritten', () => {
  const damages: [string, (place: Place) => void, RegExp][] = [
    ['cut short', (place) => truncateSync(vaultFile(place), 250), /cut short, changed/],
    ['emptied', (place) => truncateSync(vaultFile(place), 0), /cut short, changed/],
    ['changed', (place) => flip(vaultFile(place), -5), /cut short, changed/],
    ['with a changed header', (place) => flip(vaultFile(place), 60), /cut short, changed/],
    ['without its key', (place) => rmSync(join(folderOf(place), 'identity')), /key file \(identity\) is missing/],
    ['with another key', (place) => copyIdentity(place), /belongs to another key/],
    [
      'with a key file that holds no key',
      (place) => writeFileSync(join(folderOf(place), 'identity'), 'hello'),
      /holds no key/,
    ],
  ];

  function flip(path: string, at: number): void {
    const data = readFileSync(path);
    const index = at < 0 ? data.length + at : at;
    data[index] = (data[index] as number) ^ 1;
    writeFileSync(path, data);
  }

  function copyIdentity(place: Place): void {
    writeFileSync(
      join(folderOf(place), 'identity'),
      'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n',
    );
  }

  test.each(damages)('%s', async (_, damage, message) => {
    const place = newPlace();
    await place.vault().set('A', secret('value-of-a'));
    damage(place);
    const before = everything(place);
    for (const work of [
      () => place.vault().get('A'),
      () => place.vault().set('B', secret('b')),
      () => place.vault().list(),
      () => place.vault().remove('A'),
    ]) {
      const error = await work().then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ name: 'CordonError', exitCode: 125 });
      expect(error?.message).toMatch(message);
      expect(error?.message).not.toContain('value-of-a');
    }
    expect(everything(place)).toBe(before);
  });

  test('of a newer version', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('value'));
    const key = secret(readFileSync(join(folderOf(place), 'identity'), 'utf8').trim());
    writeFileSync(vaultFile(place), await encryptFor(key, Buffer.from('{"version":2,"things":{}}')));
    const before = everything(place);
    await expect(place.vault().get('A')).rejects.toMatchObject({
      message: expect.stringContaining('newer Cordon'),
      hint: expect.stringContaining('update'),
    });
    await expect(place.vault().set('B', secret('b'))).rejects.toThrow(/newer Cordon/);
    expect(everything(place)).toBe(before);
  });
});

describe('many writers', () => {
  test('in one process lose nothing', async () => {
    const place = newPlace();
    await place.vault().set('FIRST', secret('first'));
    await Promise.all(Array.from({ length: 20 }, (_, i) => place.vault().set(`N${i}`, secret(`value ${i}`))));
    expect(await place.vault().list()).toHaveLength(21);
  });

  test('in many processes lose nothing', async () => {
    const folder = newPlace().home;
    const program = (name: string) => ['--import', join(ROOT, 'scripts/ts.mjs'), APPEND, folder, name, '60'];
    const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
      spawn(process.execPath, program(name), { stdio: 'inherit' }),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'close'))[0] as number));
    expect(new Set(codes)).toEqual(new Set([0]));
    const lines = newest(folder)?.data.toString().split('\n').slice(1);
    expect(new Set(lines).size).toBe(8 * 60);
  });

  test('a slow one whose base was replaced several times begins again', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('1'));
    const base = newest(folderOf(place));
    for (const value of ['2', '3', '4']) await place.vault().set('A', secret(value));
    expect(replace(folderOf(place), base, Buffer.from('stale'))).toBe(false);
    expect((await place.vault().get('A'))?.reveal()).toBe('4');
    await place.vault().set('A', secret('5'));
    expect(readdirSync(folderOf(place)).sort()).toEqual(['identity', 'vault.5.age']);
  });

  test('one that was killed before it was done leaves the vault usable', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('1'));
    const current = vaultFile(place);
    writeFileSync(join(folderOf(place), 'new.1.abc'), 'half of a');
    // Killed between the link and the removal of the old one: both are there, the newer counts.
    const copy = readFileSync(current);
    await place.vault().set('A', secret('2'));
    writeFileSync(current, copy, { mode: 0o600 });
    expect((await place.vault().get('A'))?.reveal()).toBe('2');
    await place.vault().set('B', secret('b'));
    expect(readdirSync(folderOf(place)).filter((name) => name.endsWith('.age'))).toEqual(['vault.3.age']);
  });

  test('a folder moved away begins anew', async () => {
    const place = newPlace();
    await place.vault().set('A', secret('1'));
    renameSync(folderOf(place), join(place.home, 'backup'));
    await place.vault().set('B', secret('2'));
    expect((await place.vault().list()).map(({ name }) => name)).toEqual(['B']);
  });
});
