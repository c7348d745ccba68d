import { childOf, type Entry, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import type { Checker } from './kind.ts';
import { type Variable, variablesOf } from './variables.ts';
import { checkStep, secretsIn } from './workflow-step.ts';

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
