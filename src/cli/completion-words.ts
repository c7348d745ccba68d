import { join } from 'node:path';
import { showBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { CHANGES_FOLDER } from '../launch/own.ts';
import { TOOL_BASES, TOOL_FS_BASES } from '../policy/config/shape.ts';
import { HOST_SETS } from '../policy/network/sets.ts';
import { WORKSPACE_MODES } from '../policy/places.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Context } from './context.ts';
import type { FlagSpec } from './flags.ts';

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

interface TypedLine {
  readonly command: CommandEntry;
  readonly context: Context;
}

/** With nothing typed yet, what may follow is shown, flags only where no word is. */
async function wordsAndFlags(
  words: readonly string[],
  current: string,
  { command, context }: TypedLine,
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

/**
 * What may stand where on a command line, one way a line: a word in small letters is itself, `a|b` one of these, one in capitals a kind of name
 * of SOURCES, `…` any number of them. Flags stand in the table of commands.
 */
export const SHAPES: readonly string[] = [
  'run COMMAND',
  'explain VARIABLE…',
  'explain FILE…',
  'agent list',
  'agent run|command AGENT',
  'agent env AGENT VARIABLE…',
  'creds set|list|test|rm|init',
  'creds import FILE',
  'creds take|give AGENT',
  'import FILE…',
  'export PROFILE',
  'changes list|show|diff|apply|drop',
  'changes show|diff|apply|drop LAUNCH',
  'changes show|diff|apply|drop LAUNCH CHANGED…',
  'changes show|diff|apply|drop CHANGED…',
  'trust list|FILE',
  'trust rm FILE',
  'profile list|schema|init',
  'profile show PROFILE',
  'profile validate PROFILE…',
  'profile diff PROFILE PROFILE',
  'tool add PROGRAM…',
  'tool list',
  'tool config TOOL env list|reset',
  'tool config TOOL env base TOOL_BASE',
  'tool config TOOL env allow|deny VARIABLE…',
  'tool config TOOL fs list|reset',
  'tool config TOOL fs base FS_PRESET',
  'tool config TOOL fs write|read|hide|expose FILE…',
  'tool config TOOL fs workspace WORKSPACE…',
  'tool config TOOL net list|off|reset',
  'tool config TOOL net allow|deny HOST_SET…',
  'tool suggest COMMAND',
  'tool apply FILE',
  'tool remove TOOL…',
  'tool path bash|zsh|fish',
  'net log|pending',
  'net allow|deny PENDING…',
  'trust rm',
  'net sets HOST_SET…',
  'check FILE…',
  'serve token add|rm|list',
  'completion bash|zsh|fish',
  'help TOPIC',
];

/** What can follow these words: literal words, and kinds of names. */
export function following(words: readonly string[]): string[] {
  const next = SHAPES.map((shape) => shape.split(' ')).flatMap((shape) => nextIn(shape, words));
  return [...new Set(next)];
}

function nextIn(shape: readonly string[], words: readonly string[]): string[] {
  const at = (i: number) => shape[Math.min(i, shape.length - 1)] as string;
  const repeats = shape.at(-1)?.endsWith('…') === true;
  if (words.length >= shape.length && !repeats) return [];
  if (!words.every((word, i) => fits(word, at(i)))) return [];
  return at(words.length).replace('…', '').split('|');
}

const fits = (word: string, place: string) => isKind(place) || place.split('|').includes(word);

export const isKind = (word: string) => /^[A-Z]/.test(word);

interface Candidate {
  readonly word: string;
  readonly what?: string | undefined;
}

/** Asks for what only the shell knows: files, folders, programs. */
const FROM_SHELL = { FILE: ':file', FOLDER: ':folder', PROGRAM: ':program' } as const;

type Source = (context: Context) => Promise<readonly Candidate[]> | readonly Candidate[];

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }));

const SOURCES: Readonly<Record<string, Source>> = {
  FILE: () => plain([FROM_SHELL.FILE]),
  FOLDER: () => plain([FROM_SHELL.FOLDER]),
  WORKSPACE: () => plain([...WORKSPACE_MODES, FROM_SHELL.FOLDER]),
  PROGRAM: () => plain([FROM_SHELL.PROGRAM]),
  PROFILE: async (context) => [...(await profiles(context)), { word: FROM_SHELL.FILE }],
  TOOL: tools,
  TOOL_BASE: () => plain(TOOL_BASES),
  PENDING: waiting,
  LAUNCH: async (context) =>
    (await putAside(context)).map(({ launch, name }) => ({ word: launch, what: showBytes(name) })),
  CHANGED: async (context) =>
    plain((await putAside(context)).at(-1)?.changes.flatMap(({ path }) => textOfBytes(path) ?? []) ?? []),
  HOST_SET: () => Object.entries(HOST_SETS).map(([name, { about }]) => ({ word: `@${name}`, what: about })),
  FS_PRESET: () => plain(TOOL_FS_BASES),
  AGENT: async (context) => (await agentConfig(context)).adapters.map(({ name }) => ({ word: name })),
  ROLE: async (context) => plain([...(await agentConfig(context)).roles.keys()]),
  VARIABLE: ({ env }) => plain(env.names().flatMap((name) => textOfBytes(name) ?? [])),
  TOPIC: () => COMMANDS.map(({ name, summary }) => ({ word: name, what: summary })),
};

/** A file that cannot be read offers nothing: the command itself will say what is wrong with it. */
async function namesOf(kind: string, context: Context): Promise<readonly Candidate[]> {
  try {
    return (await SOURCES[kind]?.(context)) ?? [];
  } catch (error) {
    if (error instanceof CordonError) return [];
    throw error;
  }
}

async function profiles(context: Context): Promise<Candidate[]> {
  const [{ namedProfiles }, { profilePlaces }] = await Promise.all([
    import('../policy/profile/find.ts'),
    import('./profiles.ts'),
  ]);
  return namedProfiles(profilePlaces(context)).map(({ name }) => ({ word: name }));
}

async function tools({ folders }: Context): Promise<Candidate[]> {
  if (folders.config === undefined) return [];
  const { readConfig } = await import('../tools/config/read.ts');
  return plain([...readConfig(join(folders.config, 'cordon.toml')).tools.keys()]);
}

/** What launches put aside, as far as it can be read. */
async function putAside({ folders }: Context) {
  if (folders.state === undefined) return [];
  const { isReadable, readRecords } = await import('../changes/record.ts');
  return readRecords(join(folders.state, CHANGES_FOLDER)).filter(isReadable);
}

async function waiting({ folders }: Context): Promise<Candidate[]> {
  if (folders.state === undefined) return [];
  const { pendingIn } = await import('../network/pending.ts');
  return pendingIn(folders.state).map(({ id, name, port }) => ({ word: id, what: `${name}:${port}` }));
}

async function agentConfig(context: Context) {
  return (await import('./agent-policy.ts')).agentConfig(context);
}
