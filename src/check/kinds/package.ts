import { childOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue, credentialInText } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { commandsOf } from '../shell/commands.ts';
import { checkDockerCommands } from '../shell/docker.ts';
import { givenEnvFile } from '../shell/env-files.ts';
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
