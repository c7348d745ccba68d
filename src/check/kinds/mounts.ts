import { childOf, type Node, textOf } from '../../policy/load/node.ts';
import { type Findings, nameText } from '../finding.ts';

const HOMES = /^(?:~|\$HOME|\$\{HOME\}|\$\{localEnv:HOME\}|\/root|\/home\/[^/]+)/;
const KEPT_IN_HOME =
  /^\/(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.netrc|\.npmrc|\.git-credentials|\.config(?:\/(?:gcloud|gh|op|sops))?)?(?:\/.*)?$/;
const DAEMON = /(?:^|\/)(?:docker|containerd|podman|crio)\.sock$/;

/** A folder or socket of the machine that a container gets: `SOURCE:TARGET`, `source=…,target=…`, or a map. */
export function checkMount(findings: Findings, node: Node): void {
  const source = sourceOf(node);
  if (source === undefined) return;
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
