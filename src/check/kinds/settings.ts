import { itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue, credentialInText } from '../credential.ts';
import type { Findings } from '../finding.ts';
import { checkMount, variablesOf } from './container.ts';
import type { Checker } from './kind.ts';

/**
 * Settings that come with a repository and start programs: `.mcp.json` and its kin, those of agents, devcontainers, GitLab CI. They are
 * committed, so a value that is written in one is everyone's; a reference to a variable is what they are for.
 */
export const checkSettings: Checker = ({ root, findings }) => {
  if (root !== undefined) checkNode(findings, root, 0);
};

const VARIABLES = new Set(['env', 'environment', 'variables', 'containerEnv', 'remoteEnv', 'headers', 'http_headers']);
const WORDS = new Set(['args', 'command', 'url']);
const DEEPEST = 12;

function checkNode(findings: Findings, node: Node, depth: number): void {
  if (depth > DEEPEST) return;
  if (node.kind === 'list') for (const item of node.items) checkNode(findings, item, depth + 1);
  if (node.kind !== 'map') return;
  for (const { key, value } of node.entries) checkEntry(findings, { key, value }, depth);
}

function checkEntry(findings: Findings, { key, value }: { key: string; value: Node }, depth: number): void {
  if (VARIABLES.has(key)) for (const variable of variablesOf(value)) checkVariable(findings, variable);
  else if (WORDS.has(key)) checkWords(findings, value);
  else if (key === 'mounts' || key === 'runArgs') for (const mount of itemsOf(value)) checkMount(findings, mount);
  else checkNode(findings, value, depth + 1);
}

/** GitLab has `NAME: { value: …, description: … }` too, which has no text here. */
function checkVariable(findings: Findings, { name, value, place }: ReturnType<typeof variablesOf>[number]): void {
  if (value !== undefined) checkWrittenValue(findings, { name, value, place });
}

function checkWords(findings: Findings, node: Node): void {
  for (const word of node.kind === 'list' ? node.items : [node]) {
    const found = credentialInText(textOf(word) ?? '');
    if (found !== undefined)
      findings.add('literal-credential', word.place, { message: `an argument is a credential: ${found}`, names: [] });
  }
}
