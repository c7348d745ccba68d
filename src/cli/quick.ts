import { knownAgent } from '../agents/known.ts';
import { type Bytes, wordsIn } from '../host/bytes.ts';
import { projectProfileAt, workingFolder } from '../host/folders.ts';
import { captureArguments, frontDescriptor } from '../host/parent-env.ts';
import { needsConfig, run } from './commands/run.ts';
import { createContext } from './context.ts';
import { withHelpHint } from './flags.ts';
import { showError } from './ui/show-error.ts';

/** Flags that need nothing but what is bundled here. */
const OWN_FLAGS = wordsIn(
  '--base --allow --deny --except --set --guard --fs --write --read --hide --expose --workspace --net --isolation --in',
);

/** The launch people type all day, as a bundle of its own that is small and compiled ahead. Whatever else is asked for, the whole program does. */
export async function quickRun(whole: () => Promise<unknown>): Promise<void> {
  const args = captureArguments();
  if (frontDescriptor() === undefined || !isPlainRun(args) || isInProjectWithPolicy()) {
    await whole();
    return;
  }
  // Files that aren't there are errors that are caught, by the dozen; nobody sees where they were thrown.
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const context = createContext();
  if (needsConfig(context)) {
    Error.stackTraceLimit = usual;
    await whole();
    return;
  }
  try {
    process.exitCode = await run(args.slice(1), context);
  } catch (error) {
    process.exitCode = showError(withHelpHint(error, 'run'), context);
  }
}

function isPlainRun([command, ...rest]: readonly Bytes[]): boolean {
  if (command !== 'run') return false;
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i] as Bytes;
    if (arg === '--') return isPlainCommand(rest[i + 1]);
    if (!arg.startsWith('-')) return isPlainCommand(arg);
    const [name = '', value] = arg.split('=', 2);
    if (SWITCHES.includes(name)) continue;
    if (!OWN_FLAGS.includes(name)) return false;
    if (value === undefined) i++;
  }
  return true;
}

/** A project that carries a policy: reading it needs what is not bundled here. */
function isInProjectWithPolicy(): boolean {
  try {
    return projectProfileAt(workingFolder(), []) !== undefined;
  } catch {
    return false; // The working folder is gone, which is said later.
  }
}

const SWITCHES = ['-q', '--quiet', '--throwaway-home'];

/** A known agent gets a policy of its own, which is not bundled here. */
const isPlainCommand = (name: Bytes | undefined) => name === undefined || knownAgent(name) === undefined;
