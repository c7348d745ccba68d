import { bytesOfText } from '../host/bytes.ts';
import { currentEnvironment } from '../host/parent-env.ts';
import { isNeverName, presetPatterns } from '../policy/presets/presets.ts';

/** What an agent gets beside the names that every agent needs. */
export interface FilteredEnvOptions {
  /** Further names that may pass, exact and case-sensitive; an adapter's API keys, say. */
  readonly extraKeys?: readonly string[];
  /** The environment to choose from; the process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A fresh object with only the base names of coding agents and the extra names, as far as they are set. Missing names are no error,
 * and a name on the code-injection list passes only where the base table itself has it.
 */
export function buildFilteredEnv({
  extraKeys = [],
  env = currentEnvironment(),
}: FilteredEnvOptions = {}): Record<string, string> {
  const base = presetPatterns('agent');
  const extra = extraKeys.filter((name) => !isNeverName(bytesOfText(name)));
  const present = [...new Set([...base, ...extra])].filter((name) => Object.hasOwn(env, name));
  return Object.fromEntries(
    present.map((name) => [name, env[name]]).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
