import { childOf, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue, isCredentialName } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { agentIn, agentOfImage, type KnownAgent } from '../shell/agents.ts';
import { checkMount, checkPowers, type Variable, variablesOf } from './container.ts';
import type { Checker } from './kind.ts';

export const checkCompose: Checker = ({ root, findings }) => {
  const services = childOf(root, 'services');
  if (services?.kind !== 'map') return;
  for (const { key, value } of services.entries) checkService(findings, key, value);
};

function checkService(findings: Findings, service: string, node: Node): void {
  const agent = agentOfImage(textOf(childOf(node, 'image')) ?? '') ?? agentIn(commandOf(node));
  for (const variable of variablesOf(childOf(node, 'environment')))
    checkVariable(findings, service, { variable, agent });
  for (const variable of variablesOf(childOf(childOf(node, 'build'), 'args'))) checkBuildArgument(findings, variable);
  for (const mount of itemsOf(childOf(node, 'volumes'))) checkMount(findings, mount);
  checkPowers(findings, node, `the service ${nameText(service)}`);
  for (const file of envFilesOf(childOf(node, 'env_file'))) {
    const message = `${nameText(textOf(file) ?? '')} goes whole into the service ${nameText(service)}`;
    findings.add('whole-env-file', file.place, { message });
  }
}

/** Both forms of `command` and `entrypoint`. */
function commandOf(node: Node): string {
  return ['entrypoint', 'command']
    .map((key) => childOf(node, key))
    .map(
      (value) =>
        textOf(value) ??
        itemsOf(value)
          .map((item) => textOf(item) ?? '')
          .join(' '),
    )
    .join('\n');
}

const envFilesOf = (node: Node | undefined): readonly Node[] =>
  (node?.kind === 'list' ? node.items : [node]).flatMap((item) => {
    const path = item?.kind === 'map' ? childOf(item, 'path') : item;
    return path !== undefined && textOf(path) !== undefined ? [path] : [];
  });

interface Given {
  readonly variable: Variable;
  readonly agent: KnownAgent | undefined;
}

function checkVariable(findings: Findings, service: string, { variable, agent }: Given): void {
  const { name, value, place } = variable;
  if (value !== undefined && checkWrittenValue(findings, { name, value, place })) return;
  if (!isCredentialName(name, value) || !comesFromOutside(value) || agent?.keys.includes(name)) return;
  const rule = agent === undefined ? 'credential-to-container' : 'credential-to-agent';
  const whom = agent === undefined ? `the service ${nameText(service)}` : `${agent.name}, and is not its own key`;
  findings.add(rule, place, { message: `${nameText(name)} goes to ${whom}`, names: [name] });
}

/** Without a value, or with `${NAME}`; what is written out is no matter of handing over. */
const comesFromOutside = (value: string | undefined) => value === undefined || value.includes('$');

function checkBuildArgument(findings: Findings, { name, value, place }: Variable): void {
  if (value !== undefined && checkWrittenValue(findings, { name, value, place })) return;
  if (!isCredentialName(name, value) || !comesFromOutside(value)) return;
  findings.add('credential-in-build-arg', place, { message: `${nameText(name)} is a build argument`, names: [name] });
}
