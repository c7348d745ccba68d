import { type Bytes, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { textIn } from '../host/files.ts';
import { isOnPath } from '../host/folders.ts';
import { captureArguments } from '../host/parent-env.ts';
import { type CommandEntry, commandNamed } from './commands.ts';
import { type Context, createContext } from './context.ts';
import { withHelpHint } from './flags.ts';
import { showError } from './ui/show-error.ts';

/** Picks the command and loads only that. */
async function main(): Promise<number> {
  const context = createContext();
  try {
    return await dispatch(captureArguments(), context);
  } catch (error) {
    return showError(error, context);
  }
}

async function dispatch(args: readonly Bytes[], context: Context): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined || isHelpFlag(first) || first === 'help') {
    const { showHelp } = await import('./help.ts');
    return showHelp(
      rest.find((word) => !isHelpFlag(word)),
      context,
    );
  }
  if (first === '--version' || first === '-V') return (await import('./version.ts')).showVersion(context);
  const command = commandNamed(first, 'unknown command', {
    instead: 'cordon',
    otherwise: () =>
      isOnPath(first, context.env) ? `to start it: cordon run -- ${showBytes(first)}` : 'see cordon --help',
  });
  if (wantsHelp(rest)) return (await import('./help.ts')).showHelp(first, context);
  refuseInside(command, rest);
  try {
    return await (await command.load()).run(rest, context);
  } catch (error) {
    throw withHelpHint(error, command.name);
  }
}

const isHelpFlag = (arg: Bytes) => arg === '--help' || arg === '-h';

/** Help for ourselves, not for the command that is to be started. */
function wantsHelp(args: readonly Bytes[]): boolean {
  const end = args.indexOf('--' as Bytes);
  return (end === -1 ? args : args.slice(0, end)).some(isHelpFlag);
}

/** What escapes everything else is shown by its kind too: Node would print its text, which may hold what was being worked on. */
function showEscaped(error: unknown): never {
  process.exit(showError(error, { err: (text) => process.stderr.write(text), colour: { out: false, err: false } }));
}

/** In a sandbox Cordon's own folders are empty, and what is written to them is lost with it: an answer would be untrue, and a secret gone. */
function refuseInside({ name, keptOutside }: CommandEntry, args: readonly Bytes[]): void {
  if (keptOutside === undefined || !isInside()) return;
  const { what, words } = keptOutside;
  const action = words?.find((word) => args[0] === word);
  if (words !== undefined && action === undefined) return;
  const command = ['cordon', name, ...(action === undefined ? [] : [action])].join(' ');
  throw new CordonError(
    'inside',
    `${command} does nothing inside a sandbox of Cordon: ${what} cannot be reached here`,
    {
      hint: 'leave the sandbox first (exit), and do it outside',
    },
  );
}

/** As native/src/protocol.h calls the first process of every sandbox. */
const isInside = () => textIn('/proc/1/comm') === 'cordon-inner\n';

process.on('uncaughtException', showEscaped);
process.on('unhandledRejection', showEscaped);
process.exitCode = await main();
