import type { Bytes } from '../../host/bytes.ts';
import { readTrustedText } from '../../policy/load/read-file.ts';
import { Pattern } from '../../policy/pattern.ts';
import type { Policy } from '../../policy/policy.ts';

/** A pattern as text. One that names a variable exactly may have characters that would mean something in another. */
interface Written {
  readonly exact: boolean;
  readonly source: string;
}

type WrittenPolicy = Omit<Policy, 'allow' | 'deny'> & {
  readonly allow: readonly (Omit<Policy['allow'][number], 'pattern'> & { readonly pattern: Written })[];
  readonly deny: readonly (Omit<Policy['deny'][number], 'pattern' | 'except'> & {
    readonly pattern: Written;
    readonly except: readonly Written[];
  })[];
};

/** A policy whose profiles and flags are read already, for the front that is started in a scene. */
export function policyText(policy: Policy): string {
  const written: WrittenPolicy = {
    ...policy,
    allow: policy.allow.map((rule) => ({ ...rule, pattern: write(rule.pattern) })),
    deny: policy.deny.map((rule) => ({ ...rule, pattern: write(rule.pattern), except: rule.except.map(write) })),
  };
  return JSON.stringify(written, (_, value) => (typeof value === 'bigint' ? { [BIG]: String(value) } : value));
}

/** Trusted as any policy is: nobody else may have written the file. */
export function readPolicyFile(path: string): Policy {
  const revive = (_: string, value: unknown) => (isBig(value) ? BigInt(value[BIG]) : value);
  const written = JSON.parse(readTrustedText(path).text, revive) as WrittenPolicy;
  return {
    ...written,
    allow: written.allow.map((rule) => ({ ...rule, pattern: read(rule.pattern) })),
    deny: written.deny.map((rule) => ({ ...rule, pattern: read(rule.pattern), except: rule.except.map(read) })),
  };
}

/** An address is a number that JSON has no way to write. */
const BIG = 'big';
const isBig = (value: unknown): value is { readonly [BIG]: string } =>
  typeof value === 'object' && value !== null && BIG in value;

const write = ({ exact, source }: Pattern): Written => ({ exact, source });

const read = ({ exact, source }: Written) =>
  exact ? Pattern.exactly(source as Bytes) : Pattern.ofBytes(source as Bytes);
