import { type Bytes, showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import { type Decision, decide } from './decide.ts';
import { guardName, guardValue } from './guard/index.ts';

/** One warning for each wildcard that lets something through which is set now and looks like a credential, by its name or by its value. */
export function wildcardWarnings(policy: Policy, env: ParentEnv): string[] {
  env.judge();
  const named = new Set<Bytes>(
    policy.allow.filter(({ pattern }) => pattern.exact).map(({ pattern }) => pattern.source),
  );
  const admitted = decide(policy, env).filter(
    (decision) => isAdmittedByWildcard(decision) && !named.has(decision.name),
  );
  const byRule = new Map<string, string[]>();
  for (const { name, rule, origin } of admitted) {
    const shown = suspect(name, env.peek(name));
    const key = `${origin}: ${rule}`;
    if (shown !== undefined) byRule.set(key, [...(byRule.get(key) ?? []), shown]);
  }
  return [...byRule].map(([rule, names]) => warning(rule, names));
}

/** The name as it is shown, where there is something to say of it. */
function suspect(name: Bytes, value: Bytes | undefined): string | undefined {
  if (guardName(name) !== undefined) return showBytes(name);
  const finding = value === undefined ? undefined : guardValue(name, value);
  return finding === undefined ? undefined : `${showBytes(name)} (by its value)`;
}

function isAdmittedByWildcard({ verdict, rule, name }: Decision): boolean {
  return verdict === 'pass' && rule !== `allow ${showBytes(name)}`;
}

function warning(rule: string, names: readonly string[]): string {
  const [what, pronoun] = names.length === 1 ? ['looks like a credential', 'it'] : ['look like credentials', 'them'];
  return `${rule} lets ${names.join(', ')} through, which ${what}; deny ${pronoun}, or name ${pronoun} in full if that is meant`;
}
