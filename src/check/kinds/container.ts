import { childOf, entryOf, itemsOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import { type Findings, nameText } from '../finding.ts';

const POWERS = ['ALL', 'SYS_ADMIN', 'SYS_PTRACE', 'SYS_MODULE', 'DAC_READ_SEARCH'];

/** What makes a container as good as its machine, in the words of pods and of compose. */
export function checkPowers(findings: Findings, node: Node, whose: string): void {
  const add = (at: Node, what: string) =>
    findings.add('privileged-container', at.place, { message: `${whose} has ${what}` });
  for (const holder of [node, childOf(node, 'securityContext')]) {
    const privileged = entryOf(holder, 'privileged')?.value;
    if (isTrue(privileged)) add(privileged, 'privileged: true');
  }
  const processes = entryOf(node, 'hostPID')?.value;
  if (isTrue(processes)) add(processes, 'the processes of the machine (hostPID)');
  const pid = childOf(node, 'pid');
  if (pid !== undefined && textOf(pid) === 'host') add(pid, 'the processes of the machine (pid: host)');
  const added = [childOf(childOf(childOf(node, 'securityContext'), 'capabilities'), 'add'), childOf(node, 'cap_add')];
  for (const item of added.flatMap(itemsOf)) {
    const power = textOf(item)?.replace(/^CAP_/i, '').toUpperCase();
    if (power !== undefined && POWERS.includes(power)) add(item, `the capability ${power}`);
  }
}

function isTrue(node: Node | undefined): node is Node {
  return node?.kind === 'scalar' && node.value === true;
}

const HOMES = /^(?:~|\$HOME|\$\{HOME\}|\$\{localEnv:HOME\}|\/root|\/home\/[^/]+)/;
const KEPT_IN_HOME =
  /^\/(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.netrc|\.npmrc|\.git-credentials|\.config(?:\/(?:gcloud|gh|op|sops))?)?(?:\/.*)?$/;
const DAEMON = /(?:^|\/)(?:docker|containerd|podman|crio)\.sock$/;

/** A folder or socket of the machine that a container gets: `SOURCE:TARGET`, `source=…,target=…`, or a map. */
export function checkMount(findings: Findings, node: Node): void {
  const source = sourceOf(node);
  if (source !== undefined) checkSource(findings, node, source);
}

/** Folders of a machine that hold the credentials of others: of its users, its cluster, its other containers. */
const KEPT_BY_MACHINE =
  /^\/(?:etc\/(?:kubernetes|shadow|ssl\/private|ssh|rancher)|var\/lib\/(?:kubelet|docker|containerd|rancher|etcd)|proc|home|root)(?:\/.*)?$|^\/(?:etc)?\/?$/;

/** A pod's `hostPath`. */
export function checkPlaceOfHost(findings: Findings, node: Node): void {
  const source = textOf(node);
  if (source === undefined) return;
  const isProject = HOMES.test(source) && !isCredentialFolder(source);
  if (!DAEMON.test(source) && KEPT_BY_MACHINE.test(source) && !isProject)
    findings.add('credentials-mounted', node.place, { message: `${nameText(source)} is mounted`, names: [] });
  else checkSource(findings, node, source);
}

function checkSource(findings: Findings, node: Node, source: string): void {
  if (DAEMON.test(source))
    findings.add('daemon-in-container', node.place, { message: `${nameText(source)} is mounted`, names: [] });
  else if (isCredentialFolder(source))
    findings.add('credentials-mounted', node.place, { message: `${nameText(source)} is mounted`, names: [] });
}

function sourceOf(node: Node): string | undefined {
  if (node.kind === 'map') return textOf(childOf(node, 'source'));
  const text = textOf(node);
  const named = /(?:^|,)(?:source|src)=([^,]+)/.exec(text ?? '')?.[1];
  return named ?? text?.replace(/^(?:-v|--volume)[= ]/, '').split(/:(?=\/)/)[0];
}

/** The whole home, or what in it holds log-ins; not `~/project`, nor `~/.cache`. */
function isCredentialFolder(source: string): boolean {
  const home = HOMES.exec(source)?.[0];
  if (home === undefined) return false;
  const rest = source.slice(home.length);
  return rest === '' || rest === '/' || (rest !== '' && KEPT_IN_HOME.test(rest) && rest !== '/.config');
}

/** A variable in an `environment:` block; without a value it is taken from outside. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
  readonly place: Place;
}

/** Both forms: `NAME: value`, with `<<` for what is merged in, and `- NAME=value`. */
export function variablesOf(node: Node | undefined): Variable[] {
  if (node?.kind === 'map')
    return node.entries.flatMap(({ key, keyPlace, value }) =>
      key === '<<' ? merged(value) : [{ name: key, value: scalarText(value), place: keyPlace }],
    );
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined) return [];
    const [name = '', value] = text.split(/=(.*)/s);
    return [{ name, value, place: item.place }];
  });
}

const merged = (node: Node): Variable[] => (node.kind === 'list' ? node.items : [node]).flatMap(variablesOf);

function scalarText(node: Node): string | undefined {
  return node.kind === 'scalar' && node.value !== null ? String(node.value) : undefined;
}
