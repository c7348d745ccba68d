import { type Decision, decider } from '../decide/decide.ts';
import { guardName } from '../decide/guard/index.ts';
import { type Bytes, showBytes, textOfBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Place } from '../policy/load/node.ts';
import type { AllowRule, Policy } from '../policy/policy.ts';
import { admitsNothing } from '../policy/profile/allow-entry.ts';
import { type Admitted, admittedBy, admittedText } from './admitted.ts';
import { checkWrittenValue } from './credential.ts';
import { type Findings, nameText } from './finding.ts';

export interface PolicyCheck {
  /** As it would be launched, with everything it builds on. */
  readonly policy: Policy;
  /** The rules that this file itself writes; the others are found in their own files. */
  readonly placeOf: (origin: string) => Place | undefined;
  /** Where to point when the base is nobody's line. */
  readonly whole: Place;
  readonly env: ParentEnv;
  /** What messages call the policy, and how it is made smaller, where it is no profile. */
  readonly called?: { readonly name: string; readonly fix: string };
}

export function checkPolicy(findings: Findings, check: PolicyCheck): void {
  const admitted = admittedBy(check.policy, check.env);
  checkBase(findings, check, admitted.get(check.policy.base.origin));
  for (const rule of check.policy.allow) {
    const place = check.placeOf(rule.origin);
    if (place !== undefined) checkAllow(findings, place, { rule, check, admitted: admitted.get(rule.origin) });
  }
  for (const { name, value, origin } of check.policy.set) {
    const place = check.placeOf(origin);
    if (place !== undefined) checkWrittenValue(findings, { name: shown(name), value: shown(value), place });
  }
}

const shown = (bytes: Bytes) => textOfBytes(bytes) ?? showBytes(bytes);

function checkBase(findings: Findings, check: PolicyCheck, admitted: Admitted | undefined): void {
  const { base } = check.policy;
  const written = check.placeOf(base.origin);
  if (base.preset !== 'all' || admitted === undefined || (written === undefined && !isOwnDefault(check))) return;
  const fix = check.called === undefined ? {} : { fix: check.called.fix };
  const message = `${check.called?.name ?? 'the profile'} passes every variable (${admittedText(admitted)})`;
  findings.add('everything-passes', written ?? check.whole, { message, names: namesOf(admitted), ...fix });
}

/** No base is written anywhere in the chain: then it is this file that says nothing. */
const isOwnDefault = ({ policy }: PolicyCheck) => !/:\d+:\d+$/.test(policy.base.origin);

interface AllowCheck {
  readonly rule: AllowRule;
  readonly check: PolicyCheck;
  readonly admitted: Admitted | undefined;
}

function checkAllow(findings: Findings, place: Place, { rule: { pattern }, check, admitted }: AllowCheck): void {
  const name = shown(pattern.source);
  const text = nameText(name);
  const dropped = whyDropped(check.policy, pattern);
  if (isUseless(pattern))
    findings.add('entry-does-nothing', place, { message: `${text} does nothing here`, names: [name] });
  else if (dropped !== undefined)
    findings.add('entry-always-dropped', place, { message: `${text} never passes: ${dropped}`, names: [name] });
  else if (pattern.exact && isCredential(check.policy, pattern.source))
    findings.add('credential-by-name', place, { message: `${text} is inherited`, names: [name] });
  else if (admitted !== undefined) {
    const message = `${text} lets credentials through (${admittedText(admitted)})`;
    findings.add('wildcard-admits-credentials', place, { message, names: namesOf(admitted) });
  } else if (!pattern.exact && check.policy.guard === 'off' && check.policy.base.preset !== 'all')
    findings.add('wildcard-without-guard', place, { message: `${text} has no guard behind it` });
}

/** By its name, whatever is set where the check runs; a reason that was given for it holds. */
const isCredential = ({ guardExceptions = [] }: Policy, name: Bytes) =>
  guardName(name) !== undefined && !guardExceptions.some((one) => one.name === name);

/** By the code that decides for launches, whatever the value is; for a wildcard only by the guard, whatever its rest is. */
function whyDropped(policy: Policy, { exact, prefix = '' as Bytes, source }: AllowRule['pattern']): string | undefined {
  if (!exact && prefix === '') return undefined;
  const tried = exact ? [source] : ['A', 'Z9_X'].map((rest) => `${prefix}${rest}` as Bytes);
  const decisions = tried.map((name) => decider(policy)(name, '' as Bytes));
  const byWhat = exact ? /^(?:guard|deny) / : /^guard /;
  const isDropped = ({ verdict, rule }: Decision) => verdict === 'drop' && byWhat.test(rule);
  return decisions.every(isDropped) ? decisions[0]?.reason : undefined;
}

const isUseless = (pattern: AllowRule['pattern']) =>
  (pattern.exact || pattern.prefix !== undefined) && admitsNothing(pattern);

const namesOf = ({ now, wellKnown }: Admitted) => [...now, ...wellKnown];
