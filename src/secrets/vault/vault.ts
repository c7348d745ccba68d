import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder } from '../../host/files.ts';
import type { Secret } from '../secret.ts';
import { decryptWith, encryptFor } from './crypt.ts';
import {
  type Contents,
  decodeContents,
  emptyContents,
  encodeContents,
  fingerprint,
  type VaultEntry,
} from './format.ts';
import { type Generation, newest, replace } from './generations.ts';
import { createKey, type KeyPlace, type KeyTools, moveKey, openKey, placeOf, readKeyFile } from './identity.ts';

export interface Listed {
  readonly name: string;
  readonly changed: string;
  readonly fingerprint: string;
}

/** Cordon's own store of credentials: one encrypted file in a folder of the state folder, which every barrier hides as a whole. */
export class Vault {
  readonly #folder: string | undefined;
  readonly #tools: KeyTools;
  #key: Promise<Secret | undefined> | undefined;

  constructor(stateFolder: string | undefined, tools: KeyTools) {
    this.#folder = stateFolder === undefined ? undefined : join(stateFolder, 'vault');
    this.#tools = tools;
  }

  async get(name: string): Promise<Secret | undefined> {
    return (await this.#read())?.contents.entries.get(name)?.secret;
  }

  async list(): Promise<Listed[]> {
    const opened = await this.#read();
    if (opened === undefined) return [];
    return [...opened.contents.entries]
      .map(([name, entry]) => ({ name, changed: entry.changed, fingerprint: fingerprint(opened.contents, entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async set(name: string, secret: Secret): Promise<void> {
    if (this.keyPlace() === undefined) await this.#begin((await this.#tools.keyring.works()) ? 'keyring' : 'file');
    const entry: VaultEntry = { secret, changed: new Date().toISOString() };
    await this.#change((entries) => new Map([...entries, [name, entry]]));
  }

  /** Whether there was such an entry. */
  async remove(name: string): Promise<boolean> {
    if ((await this.get(name)) === undefined) return false;
    await this.#change((entries) => new Map([...entries].filter(([other]) => other !== name)));
    return true;
  }

  keyPlace(): KeyPlace | undefined {
    const keyFile = this.#folder === undefined ? undefined : readKeyFile(this.#folder);
    return keyFile === undefined ? undefined : placeOf(keyFile);
  }

  /** A new vault, or the key of this one kept in another way. */
  async create(kept: KeyPlace): Promise<void> {
    if (this.keyPlace() === undefined) await this.#begin(kept);
    else await moveKey(this.#writableFolder(), kept, this.#tools);
  }

  /** Another process may begin the same vault meanwhile: then its key is used. */
  async #begin(kept: KeyPlace): Promise<void> {
    const folder = this.#writableFolder();
    this.#refuseWithoutKey(folder);
    ensureFolder(folder);
    await createKey(folder, kept, this.#tools);
  }

  /** A vault is never there before its key, so the key is looked for last. */
  #refuseWithoutKey(folder: string): void {
    const generation = newest(folder);
    if (generation !== undefined && this.keyPlace() === undefined) throw missingKey(generation.path);
  }

  async #change(edit: (entries: Contents['entries']) => Contents['entries']): Promise<void> {
    const folder = this.#writableFolder();
    for (let attempt = 1; ; attempt++) {
      const { key, generation, contents } = await this.#open(folder);
      const next = encodeContents({ key: contents.key, entries: edit(contents.entries) });
      if (replace(folder, generation, await encryptFor(key, next))) return;
      await sleep(Math.random() * Math.min(20 * attempt, 200));
    }
  }

  async #read(): Promise<Opened | undefined> {
    if (this.#folder === undefined) return undefined;
    if (this.keyPlace() !== undefined) return this.#open(this.#folder);
    this.#refuseWithoutKey(this.#folder);
    return undefined;
  }

  async #open(folder: string): Promise<Opened> {
    this.#key ??= this.#openKey(folder);
    const key = await this.#key;
    const generation = newest(folder);
    if (key === undefined) throw missingKey(folder);
    if (generation === undefined) return { key, generation, contents: emptyContents() };
    const data = await decryptWith(key, generation.data, generation.path);
    return { key, generation, contents: decodeContents(data, generation.path) };
  }

  async #openKey(folder: string): Promise<Secret | undefined> {
    const keyFile = readKeyFile(folder);
    return keyFile === undefined ? undefined : await openKey(keyFile, folder, this.#tools);
  }

  #writableFolder(): string {
    if (this.#folder !== undefined) return this.#folder;
    throw new CordonError('vault', 'there is no folder for a vault: no home folder is known', {
      hint: 'set CORDON_HOME or HOME',
    });
  }
}

interface Opened {
  readonly key: Secret;
  readonly generation: Generation | undefined;
  readonly contents: Contents;
}

function missingKey(where: string): CordonError {
  return new CordonError('vault', 'the vault is there, but its key file (identity) is missing beside it', {
    where,
    hint: 'nothing was changed; put back the key file, or move the folder away to begin anew',
  });
}
