import { COMMANDS, type CommandEntry } from '../commands.ts';
import type { Context } from '../context.ts';
import type { FlagSpec } from '../flags.ts';
import { following, isKind } from './shapes.ts';
import { type Candidate, FROM_SHELL, namesOf } from './sources.ts';

/** What could stand at the end of this command line. The last word is the one that is being typed, perhaps empty. */
export async function candidatesFor(line: readonly string[], context: Context): Promise<Candidate[]> {
  const current = line.at(-1) ?? '';
  const found = await candidates(line.slice(0, -1), current, context);
  return found.filter(({ word }) => word.startsWith(':') || word.startsWith(current));
}

async function candidates(before: readonly string[], current: string, context: Context): Promise<Candidate[]> {
  if (before.length === 0) return firstWords(context);
  const command = COMMANDS.find(({ name }) => name === before[0]);
  if (command === undefined) return afterWords(before, context);
  const read = readWords(before, command);
  if (read.commandAt !== undefined) return [{ word: `:command ${read.commandAt}` }];
  if (read.pending !== undefined) return valuesOf(read.pending, context);
  const equals = current.startsWith('--') ? current.indexOf('=') : -1;
  if (equals !== -1) return inlineValues(current.slice(0, equals), command, context);
  if (current.startsWith('-')) return flagsOf(command);
  return wordsAndFlags(read.words, current, { command, context });
}

async function firstWords(context: Context): Promise<Candidate[]> {
  const others = ['help', '--help', '--version'].map((word) => ({ word }));
  return [...(await namesOf('TOPIC', context)), ...others];
}

interface ReadWords {
  readonly words: readonly string[];
  /** A flag whose value comes next. */
  readonly pending?: FlagSpec | undefined;
  /** Where on the line the command begins that is to be started. */
  readonly commandAt?: number | undefined;
}

function readWords(before: readonly string[], { flags }: CommandEntry): ReadWords {
  const words: string[] = [];
  let pending: FlagSpec | undefined;
  for (const [i, word] of before.entries()) {
    if (pending !== undefined) pending = undefined;
    else if (beginsCommand(word, words)) return { words, commandAt: word === '--' ? i + 1 : i };
    else if (word.startsWith('-')) pending = flags.find(({ name, value }) => name === word && value !== undefined);
    else words.push(word);
  }
  return { words, pending };
}

const beginsCommand = (word: string, words: readonly string[]) =>
  startsCommand(words) && (word === '--' || !word.startsWith('-'));

const startsCommand = (words: readonly string[]) => following(words).includes('COMMAND');

async function valuesOf({ value, choices, offers }: FlagSpec, context: Context): Promise<Candidate[]> {
  const fixed = choices ?? offers;
  if (fixed !== undefined) return fixed.map((word) => ({ word }));
  return [...(await namesOf(KIND_OF_VALUE[value ?? ''] ?? '', context))];
}

/** What stands for a value in the help tells what it is. */
const KIND_OF_VALUE: Readonly<Record<string, string>> = {
  'NAME|FILE': 'PROFILE',
  TOOL: 'TOOL',
  AGENT: 'AGENT',
  ROLE: 'ROLE',
  PAT: 'VARIABLE',
  VAR: 'VARIABLE',
  PATH: 'FILE',
  FILE: 'FILE',
  DIR: 'FOLDER',
  'DIR|aside|read-only': 'WORKSPACE',
};

async function inlineValues(name: string, { flags }: CommandEntry, context: Context): Promise<Candidate[]> {
  const spec = flags.find((flag) => flag.name === name);
  if (spec?.value === undefined) return [];
  const values = await valuesOf(spec, context);
  return values.map(({ word, what }) => ({ word: word.startsWith(':') ? word : `${name}=${word}`, what }));
}

function flagsOf({ flags }: CommandEntry): Candidate[] {
  return [...flags.map(({ name, help }) => ({ word: name, what: help })), { word: '--help', what: 'show this' }];
}

interface Place {
  readonly command: CommandEntry;
  readonly context: Context;
}

/** With nothing typed yet, what may follow is shown, flags only where no word is. */
async function wordsAndFlags(
  words: readonly string[],
  current: string,
  { command, context }: Place,
): Promise<Candidate[]> {
  if (startsCommand(words))
    return current === '' ? [...flagsOf(command), { word: '--' }] : [{ word: FROM_SHELL.PROGRAM }];
  const found = await afterWords(words, context);
  return found.length === 0 ? flagsOf(command) : found;
}

async function afterWords(words: readonly string[], context: Context): Promise<Candidate[]> {
  const places = following(words);
  const named = await Promise.all(places.filter(isKind).map((kind) => namesOf(kind, context)));
  return [...places.filter((place) => !isKind(place)).map((word) => ({ word })), ...named.flat()];
}
