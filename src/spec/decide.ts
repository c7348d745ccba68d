import { type GuardFinding, guardName, guardValue } from '../decide/guard/index.ts';
import { CHECKED, isFunctionValue, isUnsafeValue } from '../decide/rules.ts';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { Pattern } from '../policy/pattern.ts';
import { isNeverName, ONLY_BY_NAME_PATTERNS } from '../policy/presets/presets.ts';
import type { SandboxRules } from './options.ts';

/** What becomes of one variable, and the rule that decided it. */
export interface SandboxDecision {
  readonly name: string;
  readonly verdict: 'pass' | 'drop';
  readonly rule: string;
  readonly reason: string;
}

/**
 * First match wins: 1 unusable value; 2 unusable name, a word of the name, the code-injection list;
 * 3 not on the allowlist; 4 a value that is unsafe or carries a credential; 5 passes.
 */
export function decideVariable(name: string, value: unknown, rules: SandboxRules): SandboxDecision {
  const refused = refuseVariable(name, value, rules);
  if (refused !== undefined) return { name, verdict: 'drop', ...refused };
  return { name, verdict: 'pass', rule: 'allowlist', reason: 'the name is on the allowlist' };
}

function refuseVariable(name: string, value: unknown, rules: SandboxRules): GuardFinding | undefined {
  if (typeof value !== 'string' || value.includes('\0')) return UNUSABLE_VALUE;
  const refused = refuseName(name, rules);
  if (refused !== undefined) return refused;
  return isAllowed(name, rules) ? refuseValue(bytesOfText(name), bytesOfText(value)) : NOT_ALLOWED;
}

const UNUSABLE_VALUE = { rule: 'unusable-value', reason: 'the value is no text that a variable can hold' };
const NOT_ALLOWED = { rule: 'not-allowed', reason: 'the name is not on the allowlist' };
const UNSAFE_VALUE = {
  rule: 'unsafe-value',
  reason: 'the value can make a program read or run what the sender chooses',
};
const CHECKED_NAMES = CHECKED.map(([kind, pattern]) => ({ kind, pattern: Pattern.parse(pattern) }));

function refuseValue(name: Bytes, value: Bytes): GuardFinding | undefined {
  const unsafe = CHECKED_NAMES.some(({ kind, pattern }) => pattern.matches(name) && isUnsafeValue(kind, value));
  return unsafe || isFunctionValue(value) ? UNSAFE_VALUE : guardValue(name, value);
}

/** Asked of a variable before the allowlist is, and of the allowlist's own entries. */
export function refuseName(name: string, rules: SandboxRules): GuardFinding | undefined {
  // Printable ASCII only: letters that merely look like those of a denied word don't get past it.
  if (!/^[!-<>-~]+$/.test(name))
    return { rule: 'unusable-name', reason: 'the name is empty or has a character that no sandbox variable may have' };
  const bytes = bytesOfText(name);
  return refuseWord(bytes, rules) ?? refuseInjection(bytes);
}

function refuseWord(name: Bytes, rules: SandboxRules): GuardFinding | undefined {
  return rules.exceptions.some((exception) => exception.name === name) ? undefined : guardName(name);
}

/** In upper case too: some programs and systems don't tell cases apart. */
function refuseInjection(name: Bytes): GuardFinding | undefined {
  if (!isNeverName(name) && !isNeverName(name.toUpperCase() as Bytes)) return undefined;
  return { rule: 'code-injection', reason: 'the name can make a program run foreign code' };
}

/** What a prefix matches is not named, so it can't be what passes only by name. */
function isAllowed(name: string, rules: SandboxRules): boolean {
  if (rules.names.has(name)) return true;
  if (!rules.prefixes.some((prefix) => name.startsWith(prefix))) return false;
  return !ONLY_BY_NAME_PATTERNS.some(({ pattern }) => pattern.matches(bytesOfText(name)));
}
