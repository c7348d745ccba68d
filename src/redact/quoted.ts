import { bytesOfBuffer, bytesOfText, textOfBytes } from '../host/bytes.ts';

/** The ways in which shells, languages and pages write a value down, without the quotes around it. Bytes as Latin-1. */
export function quotedForms(value: Buffer): string[] {
  const bytes = bytesOfBuffer(value);
  return [...shellForms(bytes), ...doubledQuotes(bytes), ...backslashForms(bytes), ...htmlForms(bytes)];
}

/** What stands between two shells' quotes, or behind backslashes: `set -x`, `export -p`, `printf %q`, shlex.quote. */
function shellForms(bytes: string): string[] {
  const single = bytes.replaceAll("'", "'\\''");
  return [
    single,
    single.replace(CONTROLS, (run) => `'$'${written(run, gnu)}''`),
    bytes.replaceAll("'", `'"'"'`),
    bytes.replace(/["$`\\]/g, '\\$&'),
    ...BARE.map((special) => bytes.replace(special, '\\$&').replace(CONTROL, (byte) => `$'${written(byte, gnu)}'`)),
    bytes.replace(/[ "#$%&'()*;<>?[\\\]{|}~]/g, '\\$&').replace(CONTROLS, (run) => written(run, fish)),
  ];
}

/** What bash and zsh put a backslash before; a tilde and others only where they would mean something. */
const BARE = [
  /[ !"$&'()*,;<>?[\\\]^`{|}]|^[~#]|(?<=[:=])~/g,
  /[ !"$&'()*,;<>?[\\\]^`{|}]|(?<=[:=])~/g,
  /[ "#$&'()*;<>?[\\\]^`{|}]|^[~=]/g,
  /[ "#$&'()*;<>?[\\\]^`{|}]/g,
];

/** YAML, SQL and PowerShell; CSV. */
const doubledQuotes = (bytes: string) => [bytes.replaceAll("'", "''"), bytes.replaceAll('"', '""')];

const CONTROL = /[\x00-\x1f\x7f]/g;
const CONTROLS = /[\x00-\x1f\x7f]+/g;

/** How a character is written by its number. */
type Numbered = (code: number) => string;
const inHex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
const octal: Numbered = (code) => `\\${code.toString(8).padStart(3, '0')}`;
const hex: Numbered = (code) => `\\x${inHex(code, 2)}`;
const upperHex: Numbered = (code) => `\\x${inHex(code, 2).toUpperCase()}`;
const unicode: Numbered = (code) => `\\u${inHex(code, 4)}`;
const braced: Numbered = (code) => `\\u{${code.toString(16)}}`;
/** Shells have letters of their own for some. */
const gnu: Numbered = (code) => (code === 7 ? '\\a' : octal(code));
const bash: Numbered = (code) => (code === 27 ? '\\E' : gnu(code));
const zsh: Numbered = (code) => `\\C-${caret(code)}`;
const fish: Numbered = (code) => {
  if (code === 27) return '\\e';
  return code === 127 ? hex(code) : `\\c${caret(code).toLowerCase()}`;
};
const caret = (code: number) => String.fromCharCode(code ^ 64);

const NAMED = new Map([...'nrtbfv'].map((letter, i) => ['\n\r\t\b\f\v'[i], `\\${letter}`]));
const written = (run: string, numbered: Numbered) =>
  [...run].map((byte) => shortest(byte, numbered) ?? numbered(byte.charCodeAt(0))).join('');

/** Not everybody has a letter for all of them. */
function shortest(byte: string, numbered: Numbered): string | undefined {
  return LETTERLESS.get(numbered)?.includes(byte) === true ? undefined : NAMED.get(byte);
}

const LETTERLESS = new Map([
  [fish, '\f\v'],
  [zsh, '\r\b\f\v'],
]);

/** Strings of C, bash's $'…', Python, JavaScript, Go, Rust and Perl: a quote or none escaped, and control characters by number or not at all. */
function backslashForms(bytes: string): string[] {
  return [/\\/g, /['\\]/g, /["\\]/g, /[`\\]/g, /['!\\]/g].flatMap((special) => {
    const quoted = bytes.replace(special, '\\$&');
    const numbered = [bash, zsh, octal, hex, upperHex, unicode, braced];
    const shown = [quoted, ...numbered.map((one) => quoted.replace(CONTROL, (byte) => written(byte, one)))];
    return [...shown, quoted.replace(CONTROL, pythonControl)].flatMap((one) => [one, ...asciiForms(one)]);
  });
}

const pythonControl = (byte: string) => (/[\n\r\t]/.test(byte) ? written(byte, hex) : hex(byte.charCodeAt(0)));

/** The same with all that is not ASCII written by number: byte by byte, or character by character. */
function asciiForms(shown: string): string[] {
  const byBytes = [octal, hex].map((numbered) => shown.replace(/[\x80-\xff]/g, (byte) => numbered(byte.charCodeAt(0))));
  const text = textOfBytes(shown as ReturnType<typeof bytesOfText>);
  if (text === undefined) return byBytes;
  const characters = (code: (point: number) => string, which = /[^\x00-\x7f]/gu) =>
    bytesOfText(text.replace(which, (character) => code(character.codePointAt(0) as number)));
  return [...byBytes, characters(python), characters(python, UNPRINTABLE)];
}

function python(code: number): string {
  if (code < 0x100) return hex(code);
  return code < 0x10000 ? unicode(code) : `\\U${inHex(code, 8)}`;
}

/** What Python does not show as it is. */
const UNPRINTABLE = /(?![\x00-\x7f])[\p{C}\p{Zl}\p{Zp}\p{Zs}]/gu;

type Entities = Readonly<Record<string, string>>;
const BASIC: Entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const NAMED_QUOTES: Entities = { ...BASIC, '"': '&quot;' };

/** As Python, Go, PHP, XML writers, lodash and mustache have it. */
const ENTITIES: readonly Entities[] = [
  BASIC,
  NAMED_QUOTES,
  { ...NAMED_QUOTES, "'": '&#39;' },
  { ...NAMED_QUOTES, "'": '&#039;' },
  { ...NAMED_QUOTES, "'": '&#x27;' },
  { ...NAMED_QUOTES, "'": '&apos;' },
  { ...BASIC, '"': '&#34;', "'": '&#39;' },
  { ...NAMED_QUOTES, "'": '&#x27;', '`': '&#x60;' },
  { ...NAMED_QUOTES, "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
];

function htmlForms(bytes: string): string[] {
  const text = textOfBytes(bytes as ReturnType<typeof bytesOfText>);
  return ENTITIES.flatMap((entities) => {
    const shown = (one: string) => one.replace(/[&<>"'`/=]/g, (character) => entities[character] ?? character);
    const numbers = (one: string) => one.replace(/[^\x00-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
    return text === undefined ? [shown(bytes)] : [shown(bytes), numbers(shown(text))];
  });
}
