import { wildcardWarnings } from '../decide/wildcard-warnings.ts';
import { homesOf, workingFolder, xdgOf } from '../host/folders.ts';
import type { Policy } from '../policy/policy.ts';
import type { ProfilePlaces } from '../policy/profile/find.ts';
import { policyOf } from '../policy/profile/finish.ts';
import { resolveProfiles } from '../policy/profile/resolve.ts';
import type { Context } from './context.ts';

export function profilePlaces({ env, folders }: Pick<Context, 'env' | 'folders'>): ProfilePlaces {
  const { home, passwdHome } = homesOf(env);
  return { config: folders.config, home: home ?? passwdHome, workdir: workingFolder(), xdg: xdgOf(env) };
}

export async function loadProfiles(
  names: readonly string[],
  context: Pick<Context, 'env' | 'folders'>,
): Promise<Policy> {
  return policyOf(await resolveProfiles(names, profilePlaces(context)));
}

export function withWildcardWarnings(policy: Policy, { env }: Pick<Context, 'env'>): Policy {
  return { ...policy, warnings: [...policy.warnings, ...wildcardWarnings(policy, env)] };
}
