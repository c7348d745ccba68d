import { bytesOfBuffer, bytesOfText, textOfBytes } from '../host/bytes.ts';
import type { Secret } from '../secrets/secret.ts';
import { quotedForms } from './quoted.ts';

/** A shorter value would be found in innocent output everywhere. */
export const SHORTEST = 6;

/** A line of a longer secret, as a key has them, counts when it is surely no common text. */
const SHORTEST_LINE = 16;

/** All the ways in which a value is looked for: as it is, in base64, hex and URL encoding, as JSON text, as shells, languages and pages quote it, and as terminals and tools wrap it. */
export function formsOf(secret: Secret): Buffer[] {
  const value = secret.buffer();
  const plain = [value, ...linesOf(value)];
  const texts = [...plain.flatMap(asText), ...base64Forms(value), ...hexForms(value)];
  const all = new Set([...plain.map((one) => one.toString('latin1')), ...texts]);
  for (const one of plain) one.fill(0);
  return [...all].filter(({ length }) => length >= SHORTEST).map((form) => Buffer.from(form, 'latin1'));
}

function linesOf(value: Buffer): Buffer[] {
  const lines = value.toString('latin1').split(/\r?\n/);
  const telling =
    lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
  return telling.map((line) => Buffer.from(line, 'latin1'));
}

/** Latin-1 strings of the same bytes; a terminal turns a newline into two characters. */
function asText(value: Buffer): string[] {
  const bytes = value.toString('latin1');
  return [bytes.replace(/\r?\n/g, '\r\n'), ...urlForms(value), ...jsonForms(value), ...quotedForms(value)];
}

/** What is left as it is: by the standard, by encodeURIComponent and encodeURI, by HTML forms, by tools that mean paths, by nobody. */
const KEPT_IN_URLS = [
  /[A-Za-z0-9\-._~]/,
  /[A-Za-z0-9\-._~!'()*]/,
  /[A-Za-z0-9\-._~!'()*;/?:@&=+$,#]/,
  /[A-Za-z0-9\-._*]/,
  /[A-Za-z0-9\-._~/]/,
  /(?!)/,
];

function urlForms(value: Buffer): string[] {
  return KEPT_IN_URLS.flatMap((kept) => {
    const upper = percent(value, kept);
    const lower = upper.replace(/%../g, (code) => code.toLowerCase());
    return [upper, lower, upper.replaceAll('%20', '+'), lower.replaceAll('%20', '+')];
  });
}

function percent(value: Buffer, kept: RegExp): string {
  return value.toString('latin1').replace(/[\s\S]/g, (byte) => (kept.test(byte) ? byte : `%${hexByte(byte)}`));
}

const hexByte = (byte: string) => byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');

function jsonForms(value: Buffer): string[] {
  const text = textOfBytes(bytesOfBuffer(value));
  if (text === undefined) return [];
  const json = JSON.stringify(text).slice(1, -1);
  const slashes = json.replaceAll('/', '\\/');
  const written = [
    json,
    slashes,
    ...[json, slashes].map((one) => byNumber(one, /[^\x00-\x7f]/g)),
    ...SAFE_IN_PAGES.map((unsafe) => byNumber(json, unsafe)),
    ...SAFE_IN_PAGES.map((unsafe) => byNumber(json.replaceAll('\\"', '"'), unsafe, 'upper')),
  ];
  const all = /[\s\S]/g;
  written.push(
    byNumber(text, all),
    byNumber(text, all, 'upper'),
    text.replace(all, entity(10)),
    text.replace(all, entity(16)),
  );
  // A log line of JSON often holds another one as a string.
  return [...written, JSON.stringify(json).slice(1, -1)].map(bytesOfText);
}

/** What Go, Gson and .NET write by number, so that it can stand in a page. */
const SAFE_IN_PAGES = [/[<>&\u2028\u2029]/g, /[<>&'=]/g, /[<>&'"+`]|[^\x00-\x7f]/g];

function byNumber(json: string, unsafe: RegExp, digits: 'lower' | 'upper' = 'lower'): string {
  return json.replace(unsafe, (unit) => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${digits === 'upper' ? code.toUpperCase() : code}`;
  });
}

/** As pages write a character by its number. */
const entity = (base: 10 | 16) => (unit: string) => `&#${base === 16 ? 'x' : ''}${unit.charCodeAt(0).toString(base)};`;

function hexForms(value: Buffer): string[] {
  const lower = value.toString('hex');
  return [lower, lower.toUpperCase()];
}

/** On its own with its last character and padding, and inside of something longer at each of the three places it can begin. */
function base64Forms(value: Buffer): string[] {
  const standard = [value.toString('base64'), ...[0, 1, 2].map((offset) => innerBase64(value, offset))];
  const unpadded = standard.map((text) => text.replace(/=+$/, ''));
  const plain = [...new Set([...standard, ...unpadded])];
  const url = plain.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...plain, ...url, ...[64, 76].flatMap((width) => wrapped(standard[0] as string, width))];
}

/** Only the characters that the value alone decides. */
function innerBase64(value: Buffer, offset: number): string {
  const moved = Buffer.concat([Buffer.alloc(offset), value]);
  const text = moved.toString('base64');
  moved.fill(0);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + value.length) * 8) / 6);
  return text.slice(from, to);
}

function wrapped(text: string, width: number): string[] {
  if (text.length <= width) return [];
  const lines = text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return [lines.join('\n'), lines.join('\r\n')];
}
