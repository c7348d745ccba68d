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
  const passed = new Set(valuesOf('pass', env, decisions).map(({ value }) => value));
  const dropped = valuesOf('drop', env, decisions).filter(
    ({ value }) => value.length >= SHORTEST && !passed.has(value),
  );
  return {
    passes: (name, value) => decide(name, value).verdict === 'pass',
    secretIn: (text) => firstSecretIn(text, dropped),
  };
}

interface Variable {
  readonly name: Bytes;
  readonly value: Bytes;
}

/** Whether a value looks like a credential takes longer to tell than whether it is there at all, and it hardly ever is. */
function firstSecretIn(text: string, dropped: readonly Variable[]): number | undefined {
  for (const { name, value } of dropped) {
    const at = text.indexOf(value);
    if (at >= 0 && isSuspicious(name, value)) return at;
  }
  return undefined;
}

function valuesOf(verdict: Decision['verdict'], env: ParentEnv, decisions: readonly Decision[]): Variable[] {
  return decisions.flatMap((decision) => {
    const value = decision.verdict === verdict ? env.get(decision.name) : undefined;
    return value === undefined ? [] : [{ name: decision.name, value }];
  });
}
