import type { Place } from '../../policy/load/node.ts';
import { isCredentialName } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { commandsOf, programName, programOf, type ShellCommand, type ShellWord } from './commands.ts';

/** Where a word of the script stands in the file. */
export type PlaceOf = (index: number, length: number) => Place;

const ENGINES = ['docker', 'podman', 'nerdctl', 'buildah', 'docker-compose'];
const USES_SECRET = /\$\{\{[^}]{0,500}\b(?:secrets\b|github\.token\b)/;

/** `docker build --build-arg NAME`, `docker run -e NAME` and `--env-file` in a script. */
export function checkDockerCommands(findings: Findings, script: string, placeOf: PlaceOf): void {
  for (const command of commandsOf(script).map(programOf)) {
    if (!ENGINES.includes(programName(command))) continue;
    for (const word of valuesOf(command, ['--build-arg'])) checkArgument(findings, word, placeOf, BUILD_ARG);
    for (const word of valuesOf(command, ['-e', '--env'])) checkArgument(findings, word, placeOf, CONTAINER_ENV);
    for (const word of valuesOf(command, ['--env-file'])) {
      const message = `${nameText(word.text)} is handed over whole`;
      findings.add('whole-env-file', placeOf(word.index, word.text.length), { message });
    }
  }
}

interface Argument {
  readonly rule: 'credential-in-build-arg' | 'credential-to-container';
  readonly what: string;
}

const BUILD_ARG: Argument = { rule: 'credential-in-build-arg', what: 'a build argument' };
const CONTAINER_ENV: Argument = { rule: 'credential-to-container', what: 'handed to a container' };

function checkArgument(
  findings: Findings,
  { text, index }: ShellWord,
  placeOf: PlaceOf,
  { rule, what }: Argument,
): void {
  const [name = '', value] = text.split(/=(.*)/s);
  if (!isCredentialName(name, value) && !USES_SECRET.test(value ?? '')) return;
  findings.add(rule, placeOf(index, text.length), { message: `${nameText(name)} is ${what}`, names: [name] });
}

/** The values of a flag: the next word, or what follows its `=`. */
function valuesOf(command: ShellCommand, flags: readonly string[]): ShellWord[] {
  return command.flatMap((word, i) => {
    const flag = flags.find((one) => word.text === one || word.text.startsWith(`${one}=`));
    if (flag === undefined) return [];
    const next = command[i + 1];
    if (word.text !== flag) return [{ text: word.text.slice(flag.length + 1), index: word.index + flag.length + 1 }];
    return next === undefined ? [] : [next];
  });
}
