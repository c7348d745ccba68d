import { childOf, entryOf, itemsOf, type MapNode, type Node, textOf } from '../../policy/load/node.ts';
import { checkWrittenValue, isCredentialName, isPlaceholder } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { agentIn, agentOfImage, type KnownAgent } from '../shell/agents.ts';
import { checkPlaceOfHost, checkPowers, variablesOf } from './container.ts';
import type { Checker } from './kind.ts';

/** Manifests of Kubernetes, as written, as `kustomize build` and as `helm template` print them. */
export const checkManifest: Checker = ({ root, findings }) => {
  for (const document of documentsOf(root)) checkDocument(findings, document);
};

/** Several documents are read as a list, and a List has items. */
function documentsOf(root: Node | undefined): readonly Node[] {
  if (root?.kind === 'list') return root.items.flatMap(documentsOf);
  if (root === undefined) return [];
  return textOf(childOf(root, 'kind')) === 'List' ? itemsOf(childOf(root, 'items')) : [root];
}

function checkDocument(findings: Findings, document: Node): void {
  const kind = textOf(childOf(document, 'kind'));
  if (kind === 'Secret') checkSecret(findings, document);
  else if (kind === 'ConfigMap') checkWritten(findings, childOf(document, 'data'));
  else if (kind === 'Kustomization' || childOf(document, 'secretGenerator') !== undefined)
    checkKustomization(findings, document);
  else for (const pod of podsIn(document, 0)) checkPod(findings, pod);
}

/** Whatever makes pods has their containers somewhere: kinds that others define too. */
const DEEPEST_POD = 8;

function podsIn(node: Node, depth: number): MapNode[] {
  if (node.kind !== 'map' || depth > DEEPEST_POD) return [];
  if (childOf(node, 'containers')?.kind === 'list') return [node];
  return node.entries.flatMap(({ value }) => podsIn(value, depth + 1));
}

/* ── values that are written down ── */

function checkSecret(findings: Findings, document: Node): void {
  const written = ['data', 'stringData'].flatMap((part) => {
    const values = childOf(document, part);
    return values?.kind === 'map' ? values.entries.filter(({ value }) => isWritten(part, textOf(value))) : [];
  });
  const [first] = written;
  if (first === undefined) return;
  const names = written.map(({ key }) => key);
  const message = `${names.map(nameText).join(', ')} ${names.length === 1 ? 'has its value' : 'have their values'} here`;
  findings.add('secret-in-manifest', first.keyPlace, { message, names });
}

const isWritten = (part: string, value: string | undefined) => {
  if (value === undefined || /\$\{|\{\{|^ref\+|^AgA|^ENC\[/.test(value)) return false;
  return !isPlaceholder(part === 'data' ? Buffer.from(value, 'base64').toString('utf8') : value);
};

function checkWritten(findings: Findings, values: Node | undefined): void {
  for (const { name, value, place } of variablesOf(values))
    if (value !== undefined) checkWrittenValue(findings, { name, value, place });
}

function checkKustomization(findings: Findings, document: Node): void {
  for (const generator of itemsOf(childOf(document, 'configMapGenerator')))
    checkWritten(findings, childOf(generator, 'literals'));
  for (const generator of itemsOf(childOf(document, 'secretGenerator')))
    for (const { name, value, place } of variablesOf(childOf(generator, 'literals')))
      if (isWritten('stringData', value))
        findings.add('secret-in-manifest', place, { message: `${nameText(name)} has its value here`, names: [name] });
}

/* ── pods ── */

function checkPod(findings: Findings, pod: MapNode): void {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) =>
    itemsOf(childOf(pod, key)),
  );
  const agents = containers.map((container) => agentOfContainer(container));
  checkPowers(findings, pod, 'the pod');
  for (const [i, container] of containers.entries()) checkContainer(findings, container, agents[i]);
  const agent = agents.find((one) => one !== undefined);
  if (agent !== undefined) checkAccount(findings, pod, agent);
  for (const volume of itemsOf(childOf(pod, 'volumes'))) {
    const path = childOf(childOf(volume, 'hostPath'), 'path');
    if (path !== undefined) checkPlaceOfHost(findings, path);
  }
}

function agentOfContainer(container: Node): KnownAgent | undefined {
  const words = ['command', 'args'].flatMap((key) =>
    itemsOf(childOf(container, key)).map((item) => textOf(item) ?? ''),
  );
  return (
    agentOfImage(textOf(childOf(container, 'image')) ?? '') ?? agentIn(words.join(' ')) ?? agentIn(words.join('\n'))
  );
}

/** Kubernetes mounts a token unless it is told not to. */
function checkAccount(findings: Findings, pod: MapNode, { name }: KnownAgent): void {
  const projected = itemsOf(childOf(pod, 'volumes'))
    .flatMap((volume) => itemsOf(childOf(childOf(volume, 'projected'), 'sources')))
    .find((source) => entryOf(source, 'serviceAccountToken') !== undefined);
  const setting = entryOf(pod, 'automountServiceAccountToken');
  const isOff = setting?.value.kind === 'scalar' && setting.value.value === false;
  if (isOff && projected === undefined) return;
  const place = projected?.place ?? setting?.keyPlace ?? entryOf(pod, 'containers')?.keyPlace ?? pod.place;
  findings.add('account-token-to-agent', place, { message: `${name} gets the token of the pod's service account` });
}

function checkContainer(findings: Findings, container: Node, agent: KnownAgent | undefined): void {
  checkPowers(findings, container, 'the container');
  for (const variable of itemsOf(childOf(container, 'env'))) checkVariable(findings, variable, agent);
  for (const source of itemsOf(childOf(container, 'envFrom'))) {
    const secret = childOf(source, 'secretRef');
    if (secret === undefined) continue;
    const message = `every value of the Secret ${nameText(textOf(childOf(secret, 'name')) ?? '')} becomes a variable`;
    findings.add(agent === undefined ? 'secret-as-variable' : 'credential-to-agent', secret.place, { message });
  }
}

function checkVariable(findings: Findings, variable: Node, agent: KnownAgent | undefined): void {
  const name = textOf(childOf(variable, 'name')) ?? '';
  const value = textOf(childOf(variable, 'value'));
  if (value !== undefined) checkWrittenValue(findings, { name, value, place: variable.place });
  const reference = childOf(childOf(variable, 'valueFrom'), 'secretKeyRef');
  if (reference === undefined) return;
  const isOthers = agent !== undefined && isCredentialName(name) && !agent.keys.includes(name);
  const message = isOthers
    ? `${nameText(name)} goes to ${agent.name}, and is not its own key`
    : `${nameText(name)} comes from a Secret as a variable`;
  findings.add(isOthers ? 'credential-to-agent' : 'secret-as-variable', reference.place, { message, names: [name] });
}
