import { childOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue, credentialInText } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { agentIn } from '../shell/agents.ts';
import { commandsOf, programName, programOf, type ShellCommand } from '../shell/commands.ts';
import { checkDockerCommands } from '../shell/docker.ts';
import { installerIn } from '../shell/installs.ts';
import type { Checker } from './kind.ts';

/** The scripts of package.json and composer.json: committed, and run by everyone who works on the project. */
export const checkPackage: Checker = ({ root, findings }) => {
  const scripts = childOf(root, 'scripts');
  if (scripts?.kind !== 'map') return;
  for (const { key, value } of scripts.entries)
    for (const one of value.kind === 'list' ? value.items : [value]) checkScript(findings, key, one);
};

function checkScript(findings: Findings, name: string, node: Node): void {
  const script = textOf(node);
  if (script === undefined) return;
  const { place } = node;
  const written = assignedIn(script).filter((one) => checkWrittenValue(findings, { ...one, place }));
  const literal = written.length > 0 ? undefined : credentialInText(script);
  if (literal !== undefined)
    findings.add('literal-credential', place, {
      message: `a credential stands in the script ${nameText(name)}: ${literal}`,
    });
  checkDockerCommands(findings, script, () => place);
  checkEnvFile(findings, place, { name, script });
}

/** `NAME=value` before a command, and behind `cross-env`, `env` and `export`. */
function assignedIn(script: string): { name: string; value: string }[] {
  return commandsOf(script).flatMap((command) =>
    command.flatMap(({ text }) => {
      const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      return name === '' ? [] : [{ name, value }];
    }),
  );
}

function checkEnvFile(findings: Findings, place: Place, { name, script }: { name: string; script: string }): void {
  const given = givenEnvFile(script);
  if (given === undefined) return;
  const rule = given.whom === 'agent' ? 'env-file-to-agent' : 'env-file-to-install-scripts';
  findings.add(rule, place, { message: `the script ${nameText(name)} gives the whole file to ${given.by}` });
}

/** Programs that start another one with every variable of a file. */
const LOADERS = new Set(['dotenv', 'dotenvx', 'env-cmd', 'dotenv-cli', 'godotenv']);
const ENV_FILE = /(?:^|\/)\.env(?:\.[\w-]+)*$/;
const EXPORTS_FILE = /\bexport\s+(?:\$\(|`)[^)`]*\.env\b/;

interface LoadedEnvFile {
  /** The agent, or the package manager, that gets what the file holds. */
  readonly by: string;
  readonly whom: 'agent' | 'installer';
}

/** `dotenv -- claude`, `set -a; . ./.env; claude`, `export $(cat .env | xargs) && npm ci`. */
function givenEnvFile(script: string): LoadedEnvFile | undefined {
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
