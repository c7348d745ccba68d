declare const bytesBrand: unique symbol;

/** The bytes of a name, value or argument as a string with one character per byte, so that patterns, maps and sorting work on what the kernel sees. */
export type Bytes = string & { readonly [bytesBrand]: true };

/** The bytes of a text in UTF-8. */
export function bytesOfText(text: string): Bytes {
  return isAscii(text) ? (text as Bytes) : (Buffer.from(text, 'utf8').toString('latin1') as Bytes);
}

export function bytesOfBuffer(buffer: Uint8Array): Bytes {
  return Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).toString('latin1') as Bytes;
}

export function bufferOfBytes(bytes: Bytes): Buffer {
  return Buffer.from(bytes, 'latin1');
}

/** Text for programs: UTF-8 where it is valid, else undefined. */
export function textOfBytes(bytes: Bytes): string | undefined {
  if (isAscii(bytes)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bufferOfBytes(bytes));
  } catch {
    return undefined;
  }
}

/** Text for people: what is not printable, and all that could steer a terminal or hide text, is shown as an escape. */
export function showBytes(bytes: Bytes): string {
  const text = textOfBytes(bytes);
  return text === undefined ? escapeUnprintable(bytes, /[^\x20-\x7e]/g) : showText(text);
}

/** Nearly everything shown is plain, and the classes below take a millisecond to be made ready. */
const PLAIN = /^[\x20-\x7e]*$/;

export function showText(text: string): string {
  // Control characters, line and paragraph separators, invisible and direction-changing format characters, lone surrogates.
  return PLAIN.test(text) ? text : escapeUnprintable(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu);
}

function escapeUnprintable(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** Every other character takes more than one byte. Counted by Node: a loop over all that a launch handles takes milliseconds. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/** FIPS 180-4. Every launch needs one digest, and loading node:crypto for it takes a tenth of the time of a first start. */
const CONSTANTS = new Uint32Array([
  ...[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5],
  ...[0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174],
  ...[0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da],
  ...[0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967],
  ...[0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85],
  ...[0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070],
  ...[0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3],
  ...[0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2],
]);
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const BLOCK = 64;

/** The digest of a text in UTF-8, in hex. */
export function sha256(text: string): string {
  const state = new Uint32Array(START);
  const bytes = padded(text);
  for (let at = 0; at < bytes.length; at += BLOCK) takeBlock(state, bytes, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** A one, zeros, and the length in bits, which is below 2³² here. */
function padded(text: string): Uint8Array {
  const plain = Buffer.from(text);
  const bytes = new Uint8Array(Math.ceil((plain.length + 9) / BLOCK) * BLOCK);
  bytes.set(plain);
  bytes[plain.length] = 0x80;
  for (let i = 0; i < 4; i++) bytes[bytes.length - 1 - i] = (plain.length * 8) >>> (8 * i);
  return bytes;
}

/** Eight variables, as the standard has them: an array that is moved along in each round takes most of the time. */
function takeBlock(state: Uint32Array, bytes: Uint8Array, at: number): void {
  const words = scheduleOf(bytes, at);
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + high + ((e & f) ^ (~e & g)) + (CONSTANTS[i] as number) + (words[i] as number)) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = low + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
}

function scheduleOf(bytes: Uint8Array, at: number): Uint32Array {
  const words = new Uint32Array(64);
  for (let i = 0; i < BLOCK; i++) words[i >> 2] = ((words[i >> 2] as number) << 8) | (bytes[at + i] as number);
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15] as number, words[i - 2] as number];
    const low = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const high = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[i] = (words[i - 16] as number) + low + (words[i - 7] as number) + high;
  }
  return words;
}

/** Long lists are kept as text: `what it is: this, that`, a line each; one that is indented belongs to the line before. */
export const groupsIn = (text: string): (readonly [name: string, items: readonly string[]])[] =>
  [...text.matchAll(/^(\S.*?): (.+(?:\n +.+)*)$/gm)].map(([, name = '', items = '']) => [name, items.split(/,\s+/)]);

/** The same without groups, for what has no blanks in it. */
export const wordsIn = (text: string): string[] => text.trim().split(/\s+/);
