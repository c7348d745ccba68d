import { type Bytes, showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { showHost } from '../policy/broker.ts';
import type { Origin, Policy } from '../policy/policy.ts';
import { type GuardFinding, guardValue, inspect } from './guard/index.ts';
import { compileRules, isFunctionValue, isUnsafeValue, type Rule, RuleIndex } from './rules.ts';

/** A variable passes, is dropped, is set by the policy, or carries a credential. */
export type Verdict = 'pass' | 'drop' | 'set' | 'credential';

/** What becomes of one name, by which rule, written where, and why. Never a value. */
export interface Decision {
  readonly name: Bytes;
  readonly verdict: Verdict;
  readonly rule: string;
  readonly origin: Origin;
  readonly reason: string;
  /** The credential guard forbids the launch because of it. */
  readonly forbidden?: boolean;
}

/**
 * One decision for every variable of the parent and every one the policy adds, sorted by name. Pure and total.
 * First match wins: 1 unusable name; 2 set, injected or a credential's source; 3 control variable; 4 code-injection list;
 * 5 credential guard; 6 deny unless excepted; 7 base or allow; 8 dropped.
 */
export function decide(policy: Policy, env: ParentEnv): Decision[] {
  const decideOne = decider(policy);
  const added = addedByPolicy(policy);
  const taken = new Set(added.map(({ name }) => name));
  const inherited = env.names().filter((name) => !taken.has(name));
  return [
    ...env.unusable.map(unusable),
    ...inherited.map((name) => decideOne(name, env.peek(name) as Bytes)),
    ...added,
  ].sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

type Decider = (name: Bytes, value: Bytes) => Decision;

/** A launch asks twice: about the variables it has, and about those that start-up files would bring. */
const known = new WeakMap<Policy, Decider>();

/** The decision for one inherited variable, with the policy's rules indexed once. */
export function decider(policy: Policy): Decider {
  const decideOne = known.get(policy) ?? newDecider(policy);
  known.set(policy, decideOne);
  return decideOne;
}

function newDecider(policy: Policy): Decider {
  const index = new RuleIndex(compileRules(policy));
  return (name, value) => {
    if (isFunctionValue(value))
      return drop(name, 'value () {', 'built-in list', 'its value is a shell function definition');
    const rules = index.matching(name).filter((rule) => applies(rule, name, value));
    const first = rules[0];
    if (first !== undefined && comesBeforeGuard(first)) return byRule(name, first);
    return (
      guarded(policy, name, value, rules) ??
      (first === undefined ? unmatched(name) : withException(policy, byRule(name, first)))
    );
  };
}

function applies(rule: Rule, name: Bytes, value: Bytes): boolean {
  if (rule.check !== undefined) return isUnsafeValue(rule.check, value);
  return !rule.except.some((except) => except.matches(name));
}

function comesBeforeGuard({ kind }: Rule): boolean {
  return kind !== 'deny' && kind !== 'allow';
}

/** `strip` drops what looks like a credential; `forbid` stops the launch where it would have passed, and so does an address with a credential in it. */
function guarded(policy: Policy, name: Bytes, value: Bytes, rules: readonly Rule[]): Decision | undefined {
  const passes = rules[0]?.kind === 'allow';
  if (passes && rules.some(({ plain }) => plain === true)) return heldBack(name, guardValue(name, value), true);
  if (policy.guard === 'off' || rules.some(({ extraKey }) => extraKey === true)) return undefined;
  if (policy.guard === 'forbid' && !passes) return undefined;
  const finding = exceptionOf(policy, name) === undefined ? inspect(name, value) : guardValue(name, value);
  return heldBack(name, finding, policy.guard === 'forbid');
}

const exceptionOf = ({ guardExceptions = [] }: Policy, name: Bytes) => guardExceptions.find((one) => one.name === name);

function heldBack(name: Bytes, finding: GuardFinding | undefined, forbidden: boolean): Decision | undefined {
  if (finding === undefined) return undefined;
  const decision = drop(name, `guard ${finding.rule}`, 'credential guard', finding.reason);
  return forbidden ? { ...decision, forbidden } : decision;
}

/** Whoever asks why a name that looks like a credential's arrives gets the reason that was given for it. */
function withException(policy: Policy, decision: Decision): Decision {
  const exception = policy.guard === 'off' ? undefined : exceptionOf(policy, decision.name);
  if (exception === undefined || decision.verdict !== 'pass') return decision;
  return {
    ...decision,
    reason: `${decision.reason}; past the guard on names: ${exception.reason} (${exception.origin})`,
  };
}

function byRule(name: Bytes, rule: Rule): Decision {
  const text = `${rule.kind} ${showBytes(rule.pattern.source)}`;
  return {
    name,
    verdict: rule.kind === 'allow' ? 'pass' : 'drop',
    rule: text,
    origin: rule.origin,
    reason: rule.reason,
  };
}

function drop(name: Bytes, rule: string, origin: Origin, reason: string): Decision {
  return { name, verdict: 'drop', rule, origin, reason };
}

const unmatched = (name: Bytes) => drop(name, 'default', 'built-in order', 'no rule admits it');
const unusable = (name: Bytes) =>
  drop(name, 'unusable name', 'built-in order', 'no program can read a variable with such a name');

function addedByPolicy({ set, credentials }: Policy): Decision[] {
  const added = new Map<Bytes, Decision>();
  for (const { name, origin } of set) {
    added.set(name, {
      name,
      verdict: 'set',
      rule: `set ${showBytes(name)}`,
      origin,
      reason: 'the policy sets its value',
    });
  }
  for (const { target: name, origin, broker } of credentials) {
    added.set(name, {
      name,
      verdict: 'credential',
      rule: `credential ${showBytes(name)}`,
      origin,
      reason:
        broker === undefined
          ? 'injected as a credential'
          : `a placeholder; its value goes to ${broker.hosts.map(showHost).join(', ')} alone, from outside`,
    });
  }
  return [...added.values()];
}
