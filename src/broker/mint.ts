import type { Bytes } from '../host/bytes.ts';
import { coversHost, type MintRule, matchesPath } from '../policy/broker.ts';
import { Secret } from '../secrets/secret.ts';
import type { Head } from './head.ts';
import type { Dialled, Held } from './held.ts';
import { placeholderFor } from './placeholder.ts';

export function mintFor(
  rules: readonly MintRule[],
  { name, port }: Dialled,
  { method, target }: Head,
): MintRule | undefined {
  const [path = ''] = target.split('?', 1);
  return rules.find(
    (rule) =>
      coversHost(rule.host, name, port) &&
      rule.methods.includes(method) &&
      matchesPath(rule.path, path.replace(/\/+$/, '') || '/'),
  );
}

export interface Captured {
  readonly body: Buffer;
  readonly held: readonly Held[];
}

const SHORTEST = 8;

/** The answer with placeholders where credentials stood, and what they stand for. Undefined where it can't be told which those are. */
export function captured(
  body: Buffer,
  from: readonly Held[],
  mint: MintRule,
  known: readonly Held[],
): Captured | undefined {
  const [source] = from;
  const rule = mint.rule ?? source?.rule;
  if (rule === undefined) return undefined;
  const answer = parsed(body);
  if (answer === undefined) return undefined;
  const held: Held[] = [];
  const replaced = withPlaceholders(answer, '', (field, value) => {
    if (!mint.fields.includes(field) || value.length < SHORTEST) return value;
    const name = `${source?.name ?? 'minted'}.${field}`;
    const taken = [...known, ...held].flatMap(({ placeholder, value: one }) => [placeholder, one]);
    const bytes = Buffer.from(value, 'utf8').toString('latin1') as Bytes;
    const placeholder = placeholderFor(name as Bytes, new Secret(bytes), taken);
    held.push({ name, placeholder, value: bytes, rule });
    return placeholder;
  });
  return held.length === 0 ? undefined : { body: Buffer.from(JSON.stringify(replaced)), held };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function withPlaceholders(value: unknown, path: string, replace: (field: string, value: string) => string): unknown {
  if (typeof value === 'string') return replace(path, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withPlaceholders(one, path, replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      withPlaceholders(inner, path === '' ? name : `${path}.${name}`, replace),
    ]),
  );
}
