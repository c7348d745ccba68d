import { type Bytes, bytesOfText, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { BrokerRule } from './broker.ts';
import type { CredentialRule, Origin } from './policy.ts';
import { targetProblem } from './presets/presets.ts';

/** Where a credential may come from, and how that is written. A command is none of them: only some files may ask for one. */
export const SOURCE_FORMS = {
  vault: 'vault://NAME',
  keyring: 'keyring://SERVICE/ACCOUNT',
  file: 'file:///absolute/path',
  env: 'env://NAME',
  op: 'op://VAULT/ITEM/FIELD',
  bw: 'bw://ITEM/FIELD',
} as const;

export type Scheme = keyof typeof SOURCE_FORMS;

/** What a text with `://` in it refers to; undefined where that is no source: `postgres://…` is a plain value. */
export function schemeOf(text: string): Scheme | undefined {
  const scheme = /^([a-z]+):\/\//.exec(text)?.[1];
  return scheme !== undefined && Object.hasOwn(SOURCE_FORMS, scheme) ? (scheme as Scheme) : undefined;
}

const TARGET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FROM_VARIABLE = 'env://';

export interface CredentialText {
  readonly target: Bytes;
  /** A reference, where a bare name means the vault, or the words of a command. */
  readonly source: string | readonly string[];
  readonly origin: Origin;
  /** The spot for errors, when it is more than the origin. */
  readonly where?: string;
  readonly broker?: BrokerRule | undefined;
}

/** The one way to a credential rule, so that every surface checks targets alike and names the variable a value comes from. */
export function credentialRule({ target, source, origin, where = origin, broker }: CredentialText): CredentialRule {
  refuseBadTarget(target, where);
  const reference = typeof source === 'string' && !source.includes('://') ? `vault://${source}` : source;
  const variable =
    typeof reference === 'string' && reference.startsWith(FROM_VARIABLE)
      ? bytesOfText(reference.slice(FROM_VARIABLE.length))
      : undefined;
  return {
    target,
    source: reference,
    origin,
    ...(variable === undefined ? {} : { sourceVariable: variable }),
    ...(broker === undefined ? {} : { broker }),
  };
}

function refuseBadTarget(target: Bytes, where: string): void {
  const problem = TARGET_NAME.test(target)
    ? targetProblem(target)
    : 'a name has letters, digits and _ only, and begins with no digit';
  if (problem === undefined) return;
  throw new CordonError('policy', `a credential cannot be injected as '${showBytes(target)}': ${problem}`, {
    where,
    hint: 'choose a target the program reads as a credential, for example OPENAI_API_KEY',
  });
}
