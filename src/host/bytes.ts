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
  return PLAIN.test(text) ? text : escapeUnprintable(text, UNSAFE_TO_SHOW);
}

// Control characters, line and paragraph separators, invisible and direction-changing format characters, lone surrogates.
const UNSAFE_TO_SHOW = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

function escapeUnprintable(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
