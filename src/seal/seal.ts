import type { Decision } from '../decide/decide.ts';
import type { Bytes } from '../host/bytes.ts';
import { showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import { nameProblem, targetProblem } from '../policy/presets/presets.ts';
import { Secret } from '../secrets/secret.ts';

declare const sealedBrand: unique symbol;

/** The whole environment of a child: frozen, without a prototype, every value a Secret. Only `seal` makes one. */
export type SealedEnv = Readonly<Record<string, Secret>> & { readonly [sealedBrand]: true };

const sealed = new WeakSet<object>();

/** Where the values of what was decided come from. */
export interface SealSources {
  readonly policy: Policy;
  readonly env: ParentEnv;
  readonly credentials?: ReadonlyMap<Bytes, Secret>;
  /** Names whose credential is a placeholder already. */
  readonly placeholders?: ReadonlySet<Bytes>;
}

/**
 * Built from empty: each passed, set or injected name once, with its value. What no child may have is refused here, whoever
 * asks and however the decisions came about; whoever reads policies says it earlier and more nicely.
 */
export function seal(decisions: readonly Decision[], sources: SealSources): SealedEnv {
  refuseForbidden(decisions);
  refuseUnbrokered(sources);
  const set = new Map(sources.policy.set.map(({ name, value }) => [name, new Secret(value)]));
  const result: Record<string, Secret> = Object.create(null);
  for (const decision of decisions) {
    const { name, verdict } = decision;
    if (verdict === 'drop') continue;
    refuseName(decision);
    const value =
      verdict === 'pass' ? inherited(sources.env, name) : (verdict === 'set' ? set : sources.credentials)?.get(name);
    if (value === undefined || (verdict === 'credential' && value.isEmpty)) throw unavailable(name, verdict);
    refuseValue(decision, value);
    result[name] = value;
  }
  sealed.add(result);
  return Object.freeze(result) as SealedEnv;
}

function inherited(env: ParentEnv, name: Bytes): Secret | undefined {
  const value = env.peek(name);
  return value === undefined ? undefined : new Secret(value);
}

export function isSealed(value: unknown): value is SealedEnv {
  return typeof value === 'object' && value !== null && sealed.has(value);
}

/** Names and values in order, for the one place that hands them to a child. */
export function sealedEntries(env: SealedEnv): (readonly [Bytes, Secret])[] {
  return Object.entries(env) as [Bytes, Secret][];
}

/** A credential's target may not even look like such a name, nor decide which programs run. */
function refuseName({ name, verdict, origin }: Decision): void {
  const problem = verdict === 'credential' ? targetProblem(name) : nameProblem(name);
  if (problem === undefined) return;
  throw new CordonError('policy', `'${showBytes(name)}' is given to no command: ${problem}`, {
    where: origin,
    hint: 'take it out of the policy; what a command needs of it can be set inside, by the command itself',
  });
}

/** The kernel would end the value at the NUL, and give the command another one than was decided on. */
function refuseValue({ name, origin }: Decision, value: Secret): void {
  if (!value.reveal().includes('\0')) return;
  throw new CordonError('policy', `the value of '${showBytes(name)}' has a NUL, which no variable can hold`, {
    where: origin,
  });
}

/** A value that is to be brokered is never handed to a child, whoever forgot to take it out. */
function refuseUnbrokered({ policy, placeholders }: SealSources): void {
  const bare = policy.credentials.find(
    ({ target, broker }) => broker !== undefined && placeholders?.has(target) !== true,
  );
  if (bare === undefined) return;
  throw new CordonError('credential', `${showBytes(bare.target)} is to be brokered, which can't be done here`, {
    where: bare.origin,
    hint: 'nothing was started; leave out `for`, or start the command with cordon run',
  });
}

function refuseForbidden(decisions: readonly Decision[]): void {
  const names = decisions
    .filter(({ forbidden }) => forbidden === true)
    .map(({ name, reason }) => `${showBytes(name)} (${reason})`);
  if (names.length === 0) return;
  throw new CordonError('guard', `the credential guard forbids this launch: ${names.join(', ')}`, {
    hint: 'deny these variables, hand over what is needed as a credential, or leave out what asks for this: --guard forbid or --mode strict, or the like in a profile or role',
  });
}

function unavailable(name: Bytes, verdict: string): CordonError {
  return new CordonError('credential', `no value for ${showBytes(name)} (${verdict})`, {
    hint: 'nothing was started; an inherited variable never takes the place of a credential',
  });
}
