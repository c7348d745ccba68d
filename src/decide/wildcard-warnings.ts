import { type Bytes, showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import { type Decision, decide } from './decide.ts';
import { guardName } from './guard/index.ts';

/** One warning for each wildcard that lets something through which is set now and looks like a credential by its name. */
export function wildcardWarnings(policy: Policy, env: ParentEnv): string[] {
  const named = new Set<Bytes>(
    policy.allow.filter(({ pattern }) => pattern.exact).map(({ pattern }) => pattern.source),
  );
  const admitted = decide(policy, env).filter(
    (decision) => isAdmittedByWildcard(decision) && !named.has(decision.name),
  );
  const byRule = new Map<string, string[]>();
  for (const { name, rule, origin } of admitted.filter((one) => guardName(one.name) !== undefined)) {
    const key = `${origin}: ${rule}`;
    byRule.set(key, [...(byRule.get(key) ?? []), showBytes(name)]);
  }
  return [...byRule].map(([rule, names]) => warning(rule, names));
}

function isAdmittedByWildcard({ verdict, rule, name }: Decision): boolean {
  return verdict === 'pass' && rule !== `allow ${showBytes(name)}`;
}

function warning(rule: string, names: readonly string[]): string {
  const [what, pronoun] = names.length === 1 ? ['looks like a credential', 'it'] : ['look like credentials', 'them'];
  return `${rule} lets ${names.join(', ')} through, which ${what}; deny ${pronoun}, or name ${pronoun} in full if that is meant`;
}
