import { writeSync } from 'node:fs';
import { bytesOfText, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type Folders, foldersOf } from '../host/folders.ts';
import { captureKept, captureParentEnv, type ParentEnv } from '../host/parent-env.ts';
import { Witness } from '../launch/witness.ts';
import { hasFlag, type ParsedArguments } from './flags.ts';
import { painter } from './ui/colour.ts';
import { hanging } from './ui/definitions.ts';

/** What a command works with: the parent as it was captured once, and where to write. */
export interface Context {
  readonly env: ParentEnv;
  readonly folders: Folders;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether the stream is a terminal that wants colours. */
  readonly colour: { readonly out: boolean; readonly err: boolean };
  readonly columns: number | undefined;
  /** What this launch looked at, where the front would keep its plan. */
  readonly witness?: Witness | undefined;
}

/** The streams are asked only when something is shown: a launch shows nothing, and making them costs more than deciding. */
export function createContext(): Context {
  const env = captureParentEnv();
  const kept = captureKept();
  const witness = kept === undefined ? undefined : Witness.begin(kept);
  return {
    env,
    witness,
    folders: foldersOf(env),
    out: (text) => writeAll(1, text),
    err: (text) => writeAll(2, process.stderr.isTTY ? fitted(text, process.stderr.columns || 80) : text),
    colour: {
      get out() {
        return wantsColour(env, process.stdout);
      },
      get err() {
        return wantsColour(env, process.stderr);
      },
    },
    get columns() {
      // A terminal that does not know its size says 0.
      return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
    },
  };
}

/** A terminal breaks a long line within a word. */
const fitted = (text: string, width: number) =>
  text
    .split('\n')
    .map((line) => hanging(line, width))
    .join('\n');

function wantsColour(env: ParentEnv, stream: NodeJS.WriteStream): boolean {
  const noColor = env.get(bytesOfText('NO_COLOR'));
  return stream.isTTY === true && (noColor === undefined || noColor === '') && env.get(bytesOfText('TERM')) !== 'dumb';
}

/** Synchronous, so that nothing is lost when the process ends; a reader that went away is no error of ours, and of a full standard error nobody can be told. */
function writeAll(descriptor: 1 | 2, text: string): void {
  const data = Buffer.from(text, 'utf8');
  for (let written = 0; written < data.length; ) {
    const count = tryWrite(descriptor, data, written);
    if (count === undefined) return;
    written += count;
  }
}

function tryWrite(descriptor: number, data: Buffer, from: number): number | undefined {
  try {
    return writeSync(descriptor, data, from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return waitForReader();
    if (code === 'EPIPE' || code === 'EBADF' || descriptor === 2) return undefined;
    const why = code === 'ENOSPC' ? 'no space is left where it leads' : code;
    throw new CordonError('output', `standard output cannot be written: ${why}`, {
      hint: 'make room there, or lead it elsewhere',
    });
  }
}

/** A non-blocking pipe is full: let the reader run for a moment. */
function waitForReader(): 0 {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  return 0;
}

/** What a command found: in words for people, with --json for programs. */
export function print(parsed: ParsedArguments, { out }: Pick<Context, 'out'>, data: unknown, inWords: () => string): 0 {
  out(hasFlag(parsed, '--json') ? jsonText(data) : inWords());
  return 0;
}

export const jsonText = (data: unknown) => `${JSON.stringify(data, null, 2)}\n`;

export function showWarnings(warnings: readonly string[], context: Pick<Context, 'err' | 'colour'>): void {
  if (warnings.length === 0) return;
  const paint = painter(context.colour.err);
  for (const warning of new Set(warnings)) context.err(`${paint('yellow', 'cordon: warning:')} ${showText(warning)}\n`);
}

/** What is good to know and nothing to worry about. */
export function showNotes(notes: readonly string[], context: Pick<Context, 'err'>): void {
  for (const note of notes) context.err(`cordon: ${showText(note)}\n`);
}
