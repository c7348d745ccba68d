import { CordonError } from '../../host/errors.ts';
import { type ContainerTarget, targetText } from '../../policy/container-target.ts';
import { isByName } from '../../policy/network/rules.ts';
import type { Policy } from '../../policy/policy.ts';

/** What a container cannot hold is refused before anything is asked of an engine. */
export function refuseUnfit(policy: Policy, target: ContainerTarget): void {
  const found = unfitFor(policy);
  if (found === undefined) return;
  const { message, hint } = found;
  throw new CordonError('policy', message, { where: `--in ${targetText(target)}`, hint });
}

/** What of a policy a container cannot hold, and what to say instead. */
export function unfitFor({ network, filesystem, credentials, ssh, logIns }: Policy) {
  if (isByName(network))
    return {
      message: 'the network is open by name only for commands on this machine',
      hint: 'use --net on or --net off',
    };
  if (ssh !== undefined || logIns !== undefined || credentials.some(({ broker }) => broker !== undefined))
    return { message: 'credentials are brokered only for commands on this machine', hint: 'leave out --broker' };
  if (filesystem.preset === 'all')
    return {
      message: 'the filesystem of this machine is not in a container',
      hint: 'leave out --fs all, name places with --read',
    };
  if (filesystem.workspace.mode === 'aside')
    return { message: 'what is put aside in a container is lost with it', hint: 'use --workspace read-only' };
  return undefined;
}
