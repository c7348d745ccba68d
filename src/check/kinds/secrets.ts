import { bytesOfText } from '../../host/bytes.ts';
import { CONTROL_VARIABLES } from '../../host/control.ts';
import { isRefusedTarget } from '../../policy/injection.ts';
import { describeNode, type Entry, type Node } from '../../policy/load/node.ts';
import { Problems } from '../../policy/load/problems.ts';
import { type Findings, nameText } from '../finding.ts';
import type { Checker } from './kind.ts';

const SANDBOXED = 'sandboxed_envs';
/** The key of the main process, which no sandbox gets. */
const MAIN_KEY = 'anthropic_api_key';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const OTHERS = 0o077;

/** secrets.yaml, by its names: every value in it is a secret, so none is looked at. */
export const checkSecrets: Checker = ({ source, root, mode, findings }) => {
  if ((mode & OTHERS) !== 0 && process.platform !== 'win32')
    findings.add('secrets-file-open', { path: '' }, { message: `its mode is 0${(mode & 0o777).toString(8)}` });
  const problems = new Problems(source);
  for (const entry of mapEntries(root, problems, 'the file')) checkKey(entry, problems, findings);
  problems.throwIfAny();
};

function checkKey({ key, keyPlace, value }: Entry, problems: Problems, findings: Findings): void {
  problems.hide([value.place]);
  if (key === MAIN_KEY) requireText(key, value, problems);
  else if (key === SANDBOXED) checkSandboxed(value, problems, findings);
  else problems.add(keyPlace, `unknown key '${nameText(key)}'`, `known here: ${SANDBOXED}, ${MAIN_KEY}`);
}

function checkSandboxed(value: Node, problems: Problems, findings: Findings): void {
  for (const entry of mapEntries(value, problems, SANDBOXED)) {
    problems.hide([entry.value.place]);
    requireText(entry.key, entry.value, problems);
    checkName(entry, findings);
  }
}

function mapEntries(node: Node | undefined, problems: Problems, what: string): readonly Entry[] {
  if (node === undefined) return [];
  if (node.kind === 'map') return node.entries;
  problems.add(node.place, `${what} must hold names and values`, `write ${SANDBOXED}: and below it NAME: "value"`);
  return [];
}

function requireText(name: string, value: Node, problems: Problems): void {
  if (value.kind === 'scalar' && typeof value.value === 'string') return;
  problems.add(value.place, `the value of ${nameText(name)} is ${kindOf(value)}, not text`, 'put it in quotes');
}

/** `true` would be its value. */
const kindOf = (value: Node) =>
  value.kind === 'scalar' && typeof value.value === 'boolean' ? 'true or false' : describeNode(value);

function checkName({ key, keyPlace }: Entry, findings: Findings): void {
  const problem = nameProblem(key);
  if (problem !== undefined)
    findings.add('secrets-bad-name', keyPlace, { message: `${nameText(key)} ${problem}`, names: [key] });
}

function nameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'is no name of a variable';
  if ((CONTROL_VARIABLES as readonly string[]).includes(name.toUpperCase())) return "is one of Cordon's own variables";
  return isRefusedTarget(bytesOfText(name)) ? 'can make programs run other code' : undefined;
}
