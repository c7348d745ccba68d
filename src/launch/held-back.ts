import type { Bytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { type Copies, type Operation, pathsOf } from '../plan/places/index.ts';
import type { Policy } from '../policy/policy.ts';
import type { Secret } from '../secrets/secret.ts';
import type { LaunchBroker } from './brokered.ts';

interface HeldBack {
  readonly policy: Policy;
  readonly credentials: ReadonlyMap<Bytes, Secret>;
  readonly broker?: LaunchBroker | undefined;
}

/** What is brokered is replaced by placeholders; its values go another way. Most launches have nothing of the kind, and load nothing. */
export async function heldBack(
  policy: Policy,
  credentials: ReadonlyMap<Bytes, Secret>,
  env: ParentEnv,
  { rehearsal = false }: { readonly rehearsal?: boolean } = {},
): Promise<HeldBack> {
  const isHeld = policy.ssh !== undefined || policy.logIns !== undefined;
  if (!isHeld && !policy.credentials.some(({ broker }) => broker !== undefined)) return { policy, credentials };
  const { brokered, remembered } = await import('./brokered.ts');
  const held = brokered(policy, credentials, env);
  return rehearsal ? held : remembered(held, env);
}

/** Where an agent looks for its log-in it finds one with placeholders. */
export const logInCopies = (broker: LaunchBroker | undefined): Copies['copies'] =>
  (broker?.logIns ?? []).flatMap(({ path, text }) => pathsOf([path]).map((at) => ({ path: at, text, hides: true })));

/** Programs look for certificates in the system's bundles, whatever variables say. */
export function trustedPlaces(broker: LaunchBroker | undefined): Operation[] {
  return (broker?.files ?? []).flatMap(({ path, text }) =>
    pathsOf([path]).map((at) => ({ kind: 'data', path: at, text }) as const),
  );
}
