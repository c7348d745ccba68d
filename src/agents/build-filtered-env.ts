import { decide } from '../decide/decide.ts';
import { bytesOfText } from '../host/bytes.ts';
import { currentEnvironment, ParentEnv } from '../host/parent-env.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { presetPatterns } from '../policy/presets/presets.ts';

/** What an agent gets beside the names that every agent needs. */
export interface FilteredEnvOptions {
  /** Further names that may pass, exact and case-sensitive; an adapter's API keys, say. */
  readonly extraKeys?: readonly string[];
  /** The environment to choose from; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A fresh object with only the base names of coding agents and the extra names, as far as they are set. It is what `decide` passes with
 * the base of agents and no guard; missing names are no error.
 */
export function buildFilteredEnv({
  extraKeys = [],
  env = currentEnvironment(),
}: FilteredEnvOptions = {}): Record<string, string> {
  const variables = Object.fromEntries(Object.entries(env));
  const decisions = decide(policyOf(extraKeys), ParentEnv.fromRecord(variables));
  const passed = new Set(decisions.filter(({ verdict }) => verdict === 'pass').map(({ name }) => name));
  const named = new Set([...presetPatterns('agent'), ...extraKeys]);
  const entries = [...named].filter((name) => passed.has(bytesOfText(name))).map((name) => [name, variables[name]]);
  return Object.fromEntries(entries);
}

function policyOf(extraKeys: readonly string[]): Policy {
  const origin = 'buildFilteredEnv';
  return {
    ...DEFAULT_POLICY,
    origin,
    base: { preset: 'agent', origin },
    allow: extraKeys.map((name) => ({ pattern: Pattern.exactly(bytesOfText(name)), origin, extraKey: true })),
  };
}
