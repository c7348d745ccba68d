import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  randomBytes,
} from 'node:crypto';
import type { Held } from './held.ts';

/*
 * What is not in use at the moment lies in memory encrypted: Node can't lock its own, which is swapped out when nothing happens. The key is
 * one that OpenSSL keeps in its secure heap (Node's --secure-heap), which is locked where that is allowed, in no dump, and wiped when it is
 * freed. What was taken out for a request is a text like any other until V8 collects it (src/host/collect.ts).
 */

let pair: KeyPairKeyObjectResult | undefined;

/** The secret that the key makes with itself, for as long as `use` takes. */
function withKey<T>(use: (key: Buffer) => T): T {
  pair ??= generateKeyPairSync('x25519');
  const key = diffieHellman(pair);
  try {
    return use(key);
  } finally {
    key.fill(0);
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;

/** A text of one character per byte. */
export class PutAway {
  readonly #nonce = randomBytes(NONCE_BYTES);
  readonly #body: Buffer;
  readonly #tag: Buffer;

  constructor(text: string) {
    const cipher = withKey((key) => createCipheriv(CIPHER, key, this.#nonce));
    const bytes = Buffer.from(text, 'latin1');
    this.#body = cipher.update(bytes);
    bytes.fill(0);
    cipher.final();
    this.#tag = cipher.getAuthTag();
  }

  take(): string {
    const decipher = withKey((key) => createDecipheriv(CIPHER, key, this.#nonce)).setAuthTag(this.#tag);
    const bytes = decipher.update(this.#body);
    decipher.final();
    const text = bytes.toString('latin1');
    bytes.fill(0);
    return text;
  }
}

const away = new WeakSet<Held>();

/** The same, with its value put away. */
export function putAway({ name, placeholder, rule, logIn, ...rest }: Held): Held {
  const value = new PutAway(rest.value);
  const held = {
    name,
    placeholder,
    rule,
    logIn,
    get value() {
      return value.take();
    },
  };
  away.add(held);
  return held;
}

export const isAway = (held: Held) => away.has(held);
