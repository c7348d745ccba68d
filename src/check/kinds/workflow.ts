import { childOf, type Entry, itemsOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import type { Source } from '../../policy/load/source.ts';
import { checkWrittenValue, credentialInText, isCredentialName } from '../credential.ts';
import { type Findings, listed, nameText } from '../finding.ts';
import { agentIn, agentOfAction, type KnownAgent } from '../shell/agents.ts';
import { checkDockerCommands, type PlaceOf } from '../shell/docker.ts';
import { installerIn } from '../shell/installs.ts';
import { type Variable, variablesOf } from './container.ts';
import type { Checker } from './kind.ts';

/** A GitHub workflow or composite action: which steps get which secrets. */
export const checkWorkflow: Checker = ({ source, root, findings }) => {
  const everywhere = checkWideEnv(findings, childOf(root, 'env'), 'every step of every job');
  for (const { key, value } of entriesOf(childOf(root, 'jobs'))) {
    checkCalled(findings, value);
    const inJob = checkWideEnv(findings, childOf(value, 'env'), `every step of the job ${nameText(key)}`);
    checkContainers(findings, value);
    for (const step of itemsOf(childOf(value, 'steps')))
      checkStep(findings, source, { step, inherited: [...everywhere, ...inJob] });
  }
  for (const step of itemsOf(childOf(childOf(root, 'runs'), 'steps')))
    checkStep(findings, source, { step, inherited: [] });
};

const entriesOf = (node: Node | undefined): readonly Entry[] => (node?.kind === 'map' ? node.entries : []);

/** Gives the secrets, so that the steps know what else they have. */
function checkWideEnv(findings: Findings, env: Node | undefined, where: string): Variable[] {
  const secret = variablesOf(env).filter(
    (variable) => !isWritten(findings, variable) && secretsIn(variable).length > 0,
  );
  for (const { name, place } of secret)
    findings.add('credential-for-every-step', place, {
      message: `${nameText(name)} is there in ${where}`,
      names: [name],
    });
  return secret;
}

const isWritten = (findings: Findings, { name, value, place }: Variable) =>
  value !== undefined && checkWrittenValue(findings, { name, value, place });

/** A reusable workflow that is called with everything. */
function checkCalled(findings: Findings, job: Node): void {
  const secrets = childOf(job, 'secrets');
  if (secrets === undefined || textOf(secrets) !== 'inherit') return;
  findings.add('all-secrets-at-once', secrets.place, { message: 'the called workflow inherits every secret' });
}

/** Containers and services have an env of their own, which an image gets. */
function checkContainers(findings: Findings, job: Node): void {
  const services = entriesOf(childOf(job, 'services')).map(({ value }) => value);
  for (const container of [childOf(job, 'container'), ...services])
    for (const variable of variablesOf(childOf(container, 'env'))) {
      if (isWritten(findings, variable) || secretsIn(variable).length === 0) continue;
      const message = `${nameText(variable.name)} is handed to an image`;
      findings.add('credential-to-container', variable.place, { message, names: [variable.name] });
    }
}

interface StepCheck {
  readonly step: Node;
  /** Secrets of the job and the workflow. */
  readonly inherited: readonly Variable[];
}

const SECRET = /\bsecrets\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*['"]([^'"]*)['"]\s*\])|\bgithub\s*\.\s*(token)\b/g;
const EXPRESSION = /\$\{\{([\s\S]{0,2000}?)\}\}/g;
const ALL_SECRETS = /\btoJSON\s*\(\s*secrets\s*\)/i;

/** The secrets that the expressions of a value name. */
function secretsIn({ value = '' }: Pick<Variable, 'value'>): string[] {
  const expressions = [...value.matchAll(EXPRESSION)].map((match) => match[1] ?? '');
  return expressions.flatMap((text) => {
    const named = [...text.matchAll(SECRET)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
    return ALL_SECRETS.test(text) ? [...named, '*'] : named;
  });
}

function checkStep(findings: Findings, source: Source, { step, inherited }: StepCheck): void {
  const own = variablesOf(childOf(step, 'env'));
  const written = own.filter(
    ({ name, value, place }) => value !== undefined && checkWrittenValue(findings, { name, value, place }),
  );
  const secret = own.filter((variable) => !written.includes(variable) && secretsIn(variable).length > 0);
  const run = childOf(step, 'run');
  const agent = agentOfAction(textOf(childOf(step, 'uses')) ?? '') ?? agentIn(textOf(run) ?? '');
  if (agent !== undefined) checkAgent(findings, agent, { secret, inherited, at: run ?? childOf(step, 'uses') ?? step });
  else checkInstall(findings, textOf(run) ?? '', secret);
  if (run !== undefined) checkScript(findings, source, run);
  checkInputs(findings, source, childOf(step, 'with'));
  for (const variable of own.filter((one) => secretsIn(one).includes('*'))) allAtOnce(findings, variable.place);
}

interface AgentSecrets {
  readonly secret: readonly Variable[];
  readonly inherited: readonly Variable[];
  readonly at: Node;
}

/** Its own secrets where they stand, those of the job at the step that runs the agent. */
function checkAgent(findings: Findings, agent: KnownAgent, { secret, inherited, at }: AgentSecrets): void {
  const foreign = (variables: readonly Variable[]) => variables.filter(({ name }) => !agent.keys.includes(name));
  for (const { name, place } of foreign(secret)) {
    const message = `${nameText(name)} goes to ${agent.name}, and is not its own key`;
    findings.add('credential-to-agent', place, { message, names: [name] });
  }
  const names = foreign(inherited).map(({ name }) => name);
  if (names.length === 0) return;
  const message = `${agent.name} inherits ${listed(names)} from the job`;
  findings.add('credential-to-agent', at.place, { message, names });
}

function checkInstall(findings: Findings, script: string, secret: readonly Variable[]): void {
  const installer = secret.length === 0 ? undefined : installerIn(script);
  if (installer === undefined) return;
  for (const { name, place } of secret) {
    const message = `${nameText(name)} is there for every script that ${installer} runs`;
    findings.add('credential-to-install-scripts', place, { message, names: [name] });
  }
}

function checkScript(findings: Findings, source: Source, run: Node): void {
  const script = textOf(run) ?? '';
  const placeOf = finder(source, run.place, script);
  for (const match of script.matchAll(EXPRESSION)) {
    const names = secretsIn({ value: match[0] });
    if (names.length === 0) continue;
    const place = placeOf(match.index, match[0].length);
    if (names.includes('*')) allAtOnce(findings, place);
    else findings.add('secret-in-script', place, { message: `${listed(names)} is pasted into the script`, names });
  }
  checkDockerCommands(findings, script, placeOf);
  const literal = credentialInText(script);
  if (literal !== undefined)
    findings.add('literal-credential', run.place, { message: `a credential stands in this script: ${literal}` });
}

/** `build-args` of the build actions, and inputs with a credential written out. */
function checkInputs(findings: Findings, source: Source, inputs: Node | undefined): void {
  for (const { name, value = '', place } of variablesOf(inputs)) {
    if (name === 'build-args') checkBuildArguments(findings, value, finder(source, place, value));
    else checkWrittenValue(findings, { name, value, place });
    if (secretsIn({ value }).includes('*')) allAtOnce(findings, place);
  }
}

function checkBuildArguments(findings: Findings, text: string, placeOf: PlaceOf): void {
  for (const match of text.matchAll(/^[ \t]*([^\s=]+)=(.*)$/gm)) {
    const [all, name = '', value = ''] = match;
    if (!isCredentialName(name, value) && secretsIn({ value }).length === 0) continue;
    const place = placeOf(match.index + all.indexOf(name), name.length);
    findings.add('credential-in-build-arg', place, { message: `${nameText(name)} is a build argument`, names: [name] });
  }
}

const allAtOnce = (findings: Findings, place: Place) =>
  findings.add('all-secrets-at-once', place, { message: 'every secret of the repository is handed over' });

/** A block of text is indented in the file and not when read, so a piece of it is looked for where the block stands, line by line. */
function finder(source: Source, block: Place, text: string): PlaceOf {
  if ('path' in block) return () => block;
  return (index, length) => {
    const line = text.slice(0, index).split('\n').length - 1;
    const piece = text.slice(index, index + length).split('\n', 1)[0] ?? '';
    const from = lineStarting(source.text, block.start, text.split('\n')[line] ?? '', line);
    const start = source.text.indexOf(piece, from);
    return start === -1 || piece === '' ? block : { start, end: start + piece.length };
  };
}

function lineStarting(text: string, from: number, line: string, number: number): number {
  let at = from;
  for (let i = 0; i < number; i++) {
    const next = text.indexOf('\n', at);
    if (next !== -1) at = next + 1;
  }
  const found = text.indexOf(line.trim(), Math.min(at, text.length));
  return found === -1 ? from : found;
}
