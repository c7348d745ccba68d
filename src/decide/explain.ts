import { type Bytes, showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import { type Decision, decide, decider } from './decide.ts';
import { compileRules } from './rules.ts';

/** The decisions for some names, set now or not, each with the rule that nearly matched where none did. */
export function explain(policy: Policy, env: ParentEnv, names: readonly Bytes[] = []): Decision[] {
  const all = new Map(decide(policy, env).map((decision) => [decision.name, decision]));
  const chosen =
    names.length === 0 ? [...all.values()] : names.map((name) => all.get(name) ?? ifItWereSet(policy, name));
  const near = nearMissFinder(policy);
  return chosen.map((decision) => withNearMiss(decision, near(decision.name)));
}

const ANY_VALUE = '' as Bytes;

function ifItWereSet(policy: Policy, name: Bytes): Decision {
  const decision = decider(policy)(name, ANY_VALUE);
  const would = decision.verdict === 'pass' ? 'would pass' : 'would be dropped';
  return { ...decision, verdict: 'drop', reason: `it is not set now; if it were, it ${would}: ${decision.reason}` };
}

function withNearMiss(decision: Decision, near: string | undefined): Decision {
  if (decision.verdict !== 'drop' || decision.rule !== 'default' || near === undefined) return decision;
  return { ...decision, reason: `${decision.reason}; ${near} comes close but does not match` };
}

/** An allow rule that the reader may have thought of: `AWS_*` beside AWSX_REGION, `PATH` beside Path. */
function nearMissFinder(policy: Policy): (name: Bytes) => string | undefined {
  const allowed = compileRules(policy).filter(({ kind, pattern }) => kind === 'allow' && pattern.source !== '*');
  return (name) => {
    const near = allowed.find(({ pattern }) =>
      pattern.prefix === undefined ? sameLetters(pattern.source, name) : nearPrefix(pattern.prefix, name),
    );
    return near === undefined ? undefined : `${showBytes(near.pattern.source)} (${near.origin})`;
  };
}

function nearPrefix(prefix: Bytes, name: Bytes): boolean {
  const stem = prefix.replace(/_+$/, '').toUpperCase();
  return stem.length >= 2 && name.toUpperCase().startsWith(stem);
}

function sameLetters(pattern: Bytes, name: Bytes): boolean {
  const plain = (text: string) => text.toUpperCase().replaceAll('_', '');
  return plain(pattern) === plain(name);
}
