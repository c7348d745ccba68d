import { type Decision, decider } from '../../decide/decide.ts';
import type { Bytes } from '../../host/bytes.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { Policy } from '../../policy/policy.ts';
import type { StartupPolicy } from './examine.ts';
import { isSuspicious } from './values.ts';

/** No shorter value is worth looking for in a text. */
const SHORTEST = 8;

/** The policy as it is asked about start-up files. Where the filter is all there is, nothing can stand in for a file. */
export function startupPolicy(
  policy: Policy,
  env: ParentEnv,
  decisions: readonly Decision[],
): StartupPolicy | undefined {
  if (policy.isolation === 'filter') return undefined;
  const decide = decider(policy);
  const passed = new Set(valuesOf('pass', env, decisions));
  return {
    passes: (name, value) => decide(name, value).verdict === 'pass',
    secrets: valuesOf(
      'drop',
      env,
      decisions.filter(({ name }) => isSuspicious(name, env.get(name) ?? '')),
    ).filter((value) => value.length >= SHORTEST && !passed.has(value)),
  };
}

function valuesOf(verdict: Decision['verdict'], env: ParentEnv, decisions: readonly Decision[]): Bytes[] {
  return decisions.filter((decision) => decision.verdict === verdict).flatMap(({ name }) => env.get(name) ?? []);
}
