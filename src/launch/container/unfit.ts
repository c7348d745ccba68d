import { CordonError } from '../../host/errors.ts';
import { type ContainerTarget, targetText } from '../../policy/container-target.ts';
import { isByName } from '../../policy/network/rules.ts';
import type { Policy } from '../../policy/policy.ts';

/** What a container cannot hold is refused before anything is asked of an engine. */
export function refuseUnfit(policy: Policy, target: ContainerTarget): void {
  const found = unfitFor(policy, target.kind);
  if (found === undefined) return;
  const { message, hint } = found;
  throw new CordonError('policy', message, { where: `--in ${targetText(target)}`, hint });
}

/** Why hosts are not opened by name there. */
const OTHERS_NETWORK = {
  container: {
    why: 'in a container that runs already, whose network others made and share',
    hint: 'use --in podman:IMAGE, which starts one without a network',
  },
  pod: { why: 'in a pod, whose network is that of the cluster', hint: 'use --net on or --net off' },
} as const;

/** What of a policy cannot be held there, and what to say instead. */
export function unfitFor(policy: Policy, where: 'image' | 'container' | 'pod') {
  const { network, filesystem, credentials, ssh, logIns } = policy;
  if (where !== 'image') {
    const { why, hint } = OTHERS_NETWORK[where];
    if (isByName(network)) return { message: `the network is not opened by name ${why}`, hint };
    if (ssh !== undefined || logIns !== undefined || credentials.some(({ broker }) => broker !== undefined))
      return { message: `credentials are not brokered ${why}`, hint: `leave out --broker, or ${hint}` };
  }
  if (filesystem.preset === 'all')
    return {
      message: 'the filesystem of this machine is not in a container',
      hint: 'leave out --fs all, name places with --read',
    };
  if (filesystem.workspace.mode === 'aside')
    return { message: 'what is put aside in a container is lost with it', hint: 'use --workspace read-only' };
  return undefined;
}
