import { childOf, type Node, textOf } from '../../policy/load/node.ts';
import { type Findings, nameText } from '../finding.ts';

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
