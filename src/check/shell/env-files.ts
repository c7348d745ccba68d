import { agentIn } from './agents.ts';
import { commandsOf, programName, programOf, type ShellCommand } from './commands.ts';
import { installerIn } from './installs.ts';

/** Programs that start another one with every variable of a file. */
const LOADERS = new Set(['dotenv', 'dotenvx', 'env-cmd', 'dotenv-cli', 'godotenv']);
const ENV_FILE = /(?:^|\/)\.env(?:\.[\w-]+)*$/;
const EXPORTS_FILE = /\bexport\s+(?:\$\(|`)[^)`]*\.env\b/;

export interface LoadedEnvFile {
  /** The agent, or the package manager, that gets what the file holds. */
  readonly by: string;
  readonly whom: 'agent' | 'installer';
}

/** `dotenv -- claude`, `set -a; . ./.env; claude`, `export $(cat .env | xargs) && npm ci`. */
export function givenEnvFile(script: string): LoadedEnvFile | undefined {
  let loaded = EXPORTS_FILE.test(script);
  for (const command of commandsOf(script).map(programOf)) {
    const found = isLoader(command) ? startedBy(behindLoader(command)) : loaded && startedBy(command);
    if (found) return found;
    loaded ||= isSourced(command);
  }
  return undefined;
}

/** `dotenvx run -- …` too. */
const isLoader = (command: ShellCommand) => LOADERS.has(programName(command));

function behindLoader(command: ShellCommand): ShellCommand {
  const dashes = command.findIndex(({ text }) => text === '--');
  if (dashes !== -1) return command.slice(dashes + 1);
  const start = command.findIndex(({ text }, i) => i > 0 && !text.startsWith('-') && text !== 'run' && !isFile(text));
  return start === -1 ? [] : command.slice(start);
}

const isFile = (text: string) => ENV_FILE.test(text) || text.includes('=');

const isSourced = (command: ShellCommand) =>
  ['source', '.'].includes(command[0]?.text ?? '') && ENV_FILE.test(command[1]?.text ?? '');

function startedBy(command: ShellCommand): LoadedEnvFile | undefined {
  const text = command.map((word) => word.text).join(' ');
  const agent = agentIn(text);
  if (agent !== undefined) return { by: agent.name, whom: 'agent' };
  const installer = installerIn(text);
  return installer === undefined ? undefined : { by: installer, whom: 'installer' };
}
