import { CordonError } from '../host/errors.ts';
import { readOptions, type SandboxOptions, type SandboxRules } from './options.ts';
import { decideVariables, type SandboxDecision, type Variables } from './policy.ts';

declare const filteredBrand: unique symbol;

/** Only declared, so that no value of this class can be made; the protected field keeps look-alikes and spread copies from fitting the type. */
declare class FilteredEnvironment {
  protected readonly [filteredBrand]: true;
}

/** What `filterSandboxEnv` returned: frozen, without a prototype, sorted by name. Nothing else fits the type or `isSandboxEnv`. */
export type SandboxEnv = FilteredEnvironment & { readonly [name: string]: string };

/** The variables to choose from: `process.env`, or any object like it. */
export type HostVariables = Readonly<Record<string, string | undefined>>;

const filtered = new WeakSet<object>();

/** The only way from a host's environment to the environment of a sandbox spec. What may not pass is left out. */
export function filterSandboxEnv(env: HostVariables, options: SandboxOptions = {}): SandboxEnv {
  return keepAllowed(readVariables(env), readOptions(options));
}

/** One decision for each variable that is set, by the code that filters. */
export function explainSandboxEnv(env: HostVariables, options: SandboxOptions = {}): readonly SandboxDecision[] {
  return decideVariables(readVariables(env), readOptions(options));
}

/** Whether `filterSandboxEnv` made it. */
export function isSandboxEnv(value: unknown): value is SandboxEnv {
  return typeof value === 'object' && value !== null && filtered.has(value);
}

/** Reads each own variable once, so that a getter or proxy can't show one value to the guard and another to the spec. */
export function readVariables(env: HostVariables): Variables {
  if (typeof env !== 'object' || env === null) {
    throw new CordonError('policy', 'the environment is not an object', { hint: 'pass an object of names and values' });
  }
  const read = Object.keys(env).map((name): [string, unknown] => [name, env[name]]);
  return new Map(read.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function keepAllowed(variables: Variables, rules: SandboxRules): SandboxEnv {
  const env: Record<string, string> = Object.create(null);
  for (const { name, verdict } of decideVariables(variables, rules)) {
    if (verdict === 'pass') env[name] = variables.get(name) as string;
  }
  filtered.add(env);
  return Object.freeze(env) as SandboxEnv;
}
