import { type Bytes, bytesOfText } from '../host/bytes.ts';

/** One field of a plan line (docs/plan-format.md). */
function planField(bytes: Bytes): string {
  return bytes === '' ? '\\e' : bytes.replace(/[\x00-\x20\x7f\\]/g, escapeByte);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ' ': '\\s',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};

function escapeByte(byte: string): string {
  return SHORT_ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

export function planLine(word: string, ...fields: readonly Bytes[]): string {
  return [word, ...fields.map(planField)].join(' ');
}

export const textLine = (word: string, ...fields: readonly string[]) => planLine(word, ...fields.map(bytesOfText));

const MEANINGS: Readonly<Record<string, string>> = { s: ' ', t: '\t', n: '\n', r: '\r', '\\': '\\', e: '' };

/** The bytes a field that `planField` wrote stands for. */
export function bytesOfField(field: string): Bytes {
  return field.replace(/\\(x([0-9a-f]{2})|.)/g, (_, letter: string, hex: string | undefined) =>
    hex === undefined ? (MEANINGS[letter] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  ) as Bytes;
}
