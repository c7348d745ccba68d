import { type Bytes, bytesOfText, showBytes, showText, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { nearest } from '../policy/nearest.ts';

export interface FlagSpec {
  readonly name: string;
  /** What stands for the value in help; a flag without one takes none. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** What completion offers where the command itself checks the value. */
  readonly offers?: readonly string[];
  /** The value may be left out: the next word is one only if it looks so. */
  readonly optional?: RegExp;
  /** Takes all following words up to the next flag, as in `--except A B`. */
  readonly many?: boolean;
}

export const JSON_FLAG: FlagSpec = { name: '--json', help: 'machine-readable output' };

/** One flag as it was given, in order: order matters for `--deny A --except B`. */
export interface GivenFlag {
  readonly name: string;
  readonly value: Bytes;
}

export interface ParsedArguments {
  readonly flags: readonly GivenFlag[];
  readonly words: readonly Bytes[];
  /** What follows `--`, or undefined when it wasn't given. */
  readonly rest: readonly Bytes[] | undefined;
}

export interface ParseOptions {
  readonly flags: readonly FlagSpec[];
  /** Everything from the first word on belongs to the command that is started. */
  readonly stopAtWord?: boolean;
}

export function parseArguments(args: readonly Bytes[], { flags, stopAtWord = false }: ParseOptions): ParsedArguments {
  const given: GivenFlag[] = [];
  const words: Bytes[] = [];
  for (let i = 0; i < args.length; ) {
    const arg = args[i] as Bytes;
    if (arg === '--') return { flags: given, words, rest: args.slice(i + 1) };
    if (isFlag(arg)) i += takeFlag(args.slice(i), flags, given);
    else if (stopAtWord) return { flags: given, words, rest: args.slice(i) };
    else {
      words.push(arg);
      i++;
    }
  }
  return { flags: given, words, rest: undefined };
}

const isFlag = (arg: Bytes) => arg.startsWith('-') && arg !== '-';

/** Adds the flag at the front with its values, and says how many words it took. */
function takeFlag([arg, ...following]: readonly Bytes[], flags: readonly FlagSpec[], given: GivenFlag[]): number {
  const { spec, inline } = knownFlag(arg as Bytes, flags);
  if (spec.optional !== undefined && inline === undefined && !spec.optional.test(following[0] ?? '')) {
    given.push({ name: spec.name, value: bytesOfText('') });
    return 1;
  }
  if (spec.value === undefined) given.push(switchFlag(spec, inline));
  else
    given.push({
      name: spec.name,
      value: checkedValue(spec, inline ?? (isEnd(following[0]) ? undefined : following[0])),
    });
  const taken = spec.value === undefined || inline !== undefined ? 0 : 1;
  const more = spec.many === true ? following.slice(taken) : [];
  const end = more.findIndex(isFlag);
  const values = end === -1 ? more : more.slice(0, end);
  for (const value of values) given.push({ name: spec.name, value });
  return 1 + taken + values.length;
}

function knownFlag(arg: Bytes, flags: readonly FlagSpec[]): { spec: FlagSpec; inline: Bytes | undefined } {
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
  const name = equals === -1 ? arg : arg.slice(0, equals);
  const spec = flags.find((flag) => flag.name === name);
  if (spec !== undefined) return { spec, inline: equals === -1 ? undefined : (arg.slice(equals + 1) as Bytes) };
  if (name === '--in')
    throw usageError(
      '--in does not go with this command',
      'run, explain, agent run, mcp and serve take it; cordon tool config TOOL in … is for a tool',
    );
  const near = nearest(
    name,
    flags.map((flag) => flag.name),
  );
  throw new UnknownFlag('usage', `unknown flag ${showBytes(name as Bytes)}`, {
    hint: near === undefined ? undefined : `did you mean ${near}?`,
  });
}

export class UnknownFlag extends CordonError {}

function switchFlag({ name }: FlagSpec, inline: Bytes | undefined): GivenFlag {
  if (inline !== undefined) throw usageError(`${name} takes no value`);
  return { name, value: bytesOfText('') };
}

/** `--` ends the flags: whoever forgot a value did not mean it as one. */
const isEnd = (word: Bytes | undefined) => word === bytesOfText('--');

function checkedValue({ name, value: placeholder, choices }: FlagSpec, value: Bytes | undefined): Bytes {
  if (value === undefined) throw usageError(`${name} needs a value: ${name} ${placeholder}`);
  if (choices === undefined || choices.includes(value)) return value;
  const near = nearest(value, choices);
  const hint = `it takes ${choices.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
  throw usageError(`${name} does not know '${showBytes(value)}'`, hint);
}

export function usageError(message: string, hint?: string): CordonError {
  return new CordonError('usage', message, { hint });
}

/** Whoever mistyped a command is told where its help is. */
export function withHelpHint(error: unknown, command: string): unknown {
  if (!(error instanceof CordonError) || error.kind !== 'usage' || error.hint !== undefined) return error;
  return new CordonError(error.kind, error.message, { where: error.where, hint: `see cordon ${command} --help` });
}

export function hasFlag({ flags }: ParsedArguments, name: string): boolean {
  return flags.some((flag) => flag.name === name);
}

export function flagValues({ flags }: ParsedArguments, name: string): Bytes[] {
  return flags.filter((flag) => flag.name === name).map(({ value }) => value);
}

/** The value that counts where a flag may be given again: the last one. */
export function lastText(parsed: ParsedArguments, flag: string): string | undefined {
  const value = flagValues(parsed, flag).at(-1);
  return value === undefined ? undefined : textValue(value, flag);
}

/** Only what the pattern allows, as a number. */
export function numberOf(parsed: ParsedArguments, flag: string, form: RegExp, what: string): number | undefined {
  const text = lastText(parsed, flag);
  if (text === undefined) return undefined;
  if (!form.test(text)) throw usageError(`${flag} needs ${what}, not '${showText(text)}'`);
  return Number(text);
}

const USUALLY_SHOWN = 20;

/** As many as `--last` says, where 0 means all; programs get all unless they ask for fewer. */
export function newestOf<Item>(all: readonly Item[], parsed: ParsedArguments): readonly Item[] {
  const asked = numberOf(parsed, '--last', /^\d{1,9}$/, 'a whole number');
  const count = asked ?? (hasFlag(parsed, '--json') ? 0 : USUALLY_SHOWN);
  return count === 0 ? all : all.slice(-count);
}

/** Words that are names of files or things, not bytes for a child. */
export function textValue(bytes: Bytes, what: string): string {
  const text = textOfBytes(bytes);
  if (text === undefined) throw usageError(`${what} is not valid UTF-8: ${showBytes(bytes)}`);
  return text;
}

/** What a word stands for in the table of a command, which is called as people type it. */
export function chosen<Value>(
  command: string,
  word: Bytes | undefined,
  table: Readonly<Record<string, Value>>,
  unlisted: readonly string[] = [],
): Value {
  if (word !== undefined && Object.hasOwn(table, word)) return table[word] as Value;
  throw unknownWord(
    command,
    word,
    Object.keys(table).filter((name) => !unlisted.includes(name)),
  );
}

function unknownWord(command: string, word: Bytes | undefined, known: readonly string[]): CordonError {
  const all = `it takes ${known.join(', ')}`;
  if (word === undefined) return usageError(`${command} needs a word that says what to do`, all);
  const near = nearest(word, known);
  return usageError(
    `${command} does not know '${showBytes(word)}'`,
    near === undefined ? all : `did you mean ${command} ${near}?`,
  );
}
