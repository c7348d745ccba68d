import { type Decision, decide } from '../decide/decide.ts';
import { bytesOfText } from '../host/bytes.ts';
import { ParentEnv } from '../host/parent-env.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type DenyRule, type Policy } from '../policy/policy.ts';
import { NEVER_PATTERNS } from '../policy/presets/presets.ts';
import type { SandboxRules } from './options.ts';

/** What becomes of one variable, and the rule that decided it. */
export interface SandboxDecision {
  readonly name: string;
  readonly verdict: 'pass' | 'drop';
  readonly rule: string;
  readonly reason: string;
}

export type Variables = ReadonlyMap<string, unknown>;

/** One decision for each variable: `decide` with the policy of the spec, said in the words of specs. */
export function decideVariables(variables: Variables, rules: SandboxRules): SandboxDecision[] {
  const record = Object.fromEntries([...variables].filter((entry): entry is [string, string] => isText(entry[1])));
  const decided = new Map(decide(policyOf(rules), ParentEnv.fromRecord(record)).map((one) => [one.name, one]));
  return [...variables].map(([name, value]) => {
    const decision = isText(value) ? decided.get(bytesOfText(name)) : undefined;
    return { name, verdict: decision?.verdict === 'pass' ? 'pass' : 'drop', ...inWordsOfSpecs(decision) };
  });
}

const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0');

/** Entries of an allowlist under which nothing could pass. */
export function refusedEntries(entries: Iterable<string>, rules: SandboxRules): SandboxDecision[] {
  const unset = new Map(Array.from(entries, (entry) => [entry, '']));
  return decideVariables(unset, rules).filter(({ verdict }) => verdict === 'drop');
}

const UNUSABLE_NAME = 'unusable name';
const INJECTION = 'code injection in any case';

/** Only the allowlist admits, and nothing that looks like a credential passes it. */
function policyOf({ names, prefixes, exceptions }: SandboxRules): Policy {
  const origin = 'sandbox spec';
  const allowed = [
    ...Array.from(names, (name) => Pattern.exactly(bytesOfText(name))),
    ...prefixes.map((prefix) => Pattern.builtIn(`${prefix}*`)),
  ];
  return {
    ...DEFAULT_POLICY,
    origin,
    base: { preset: 'none', origin },
    allow: allowed.map((pattern) => ({ pattern, origin })),
    deny: DENIED,
    guard: 'strip',
    guardExceptions: exceptions.map(({ name, reason }) => ({ name: bytesOfText(name), reason, origin })),
  };
}

/**
 * Printable ASCII only: letters that merely look like those of a denied word don't get past it. And the code-injection list in
 * upper and lower case alike: some programs and systems don't tell cases apart.
 */
const DENIED: readonly DenyRule[] = [
  { pattern: Pattern.builtIn('*[!!-~]*'), except: [], origin: UNUSABLE_NAME },
  ...NEVER_PATTERNS.map(({ pattern }) => ({
    pattern: Pattern.ignoringCase(pattern.source),
    except: [],
    origin: INJECTION,
  })),
];

function inWordsOfSpecs(decision: Decision | undefined): Pick<SandboxDecision, 'rule' | 'reason'> {
  if (decision === undefined)
    return { rule: 'unusable-value', reason: 'the value is not text that a variable can hold' };
  const [kind = '', detail = ''] = decision.rule.split(' ');
  if (kind === 'guard') return { rule: detail, reason: decision.reason };
  const [rule, reason = decision.reason] = WORDS[kind === 'deny' ? decision.origin : kind] ?? [kind];
  return { rule, reason };
}

const NO_NAME = ['unusable-name', 'the name is empty or has a character that no sandbox variable may have'] as const;
const FOREIGN_CODE = ['code-injection', 'the name can make a program run foreign code'] as const;
const UNLISTED = ['not-allowed', 'the name is not on the allowlist'] as const;
const UNSAFE = ['unsafe-value', 'the value can make a program read or run what the sender chooses'] as const;

/** By the kind of rule that decided, and of those of this policy by where they are from. */
const WORDS: Readonly<Record<string, readonly [rule: string, reason?: string]>> = {
  allow: ['allowlist', 'the name is on the allowlist'],
  unusable: NO_NAME,
  [UNUSABLE_NAME]: NO_NAME,
  never: FOREIGN_CODE,
  [INJECTION]: FOREIGN_CODE,
  default: UNLISTED,
  hold: UNLISTED,
  check: UNSAFE,
  value: UNSAFE,
};
