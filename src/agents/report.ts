import { type Decision, decide } from '../decide/decide.ts';
import { showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';

const GUARDS = /^(?:guard|never|hold|check|value) /;

/** What an allow rule asks for and a guard holds back all the same: said in permissive mode, passed in none. */
function heldBack(policy: Policy, env: ParentEnv): Decision[] {
  const asked = (name: Decision['name']) => policy.allow.some(({ pattern }) => pattern.matches(name));
  return decide(policy, env).filter(
    ({ name, verdict, rule }) => verdict === 'drop' && GUARDS.test(rule) && asked(name),
  );
}

export function heldBackReport(policy: Policy, env: ParentEnv): string[] {
  env.report();
  return heldBack(policy, env).map(
    ({ name, reason, rule }) => `${showBytes(name)} is allowed, and held back by a guard (${rule}): ${reason}`,
  );
}
