import type { Bytes } from '../../host/bytes.ts';
import type { GuardFinding, ReadingRule, ShapeRule } from './finding.ts';
import { CLOUD } from './rules/cloud.ts';
import { CONTEXTS, RANDOM_VALUE } from './rules/contexts.ts';
import { HOSTING } from './rules/hosting.ts';
import { KEYS } from './rules/keys.ts';
import { MODELS } from './rules/models.ts';
import { SERVICES } from './rules/services.ts';

export const SHAPES: readonly ShapeRule[] = [...HOSTING, ...CLOUD, ...MODELS, ...SERVICES, ...KEYS];
export const READINGS: readonly ReadingRule[] = [...CONTEXTS, RANDOM_VALUE];

/** What the value says, in the light of its name. */
export function guardValue(name: Bytes, value: Bytes): GuardFinding | undefined {
  for (const reading of readingsOf(value)) {
    const rule = shapeIn(reading) ?? CONTEXTS.find(({ test }) => test(reading, name));
    if (rule !== undefined) return findingOf(rule);
  }
  return RANDOM_VALUE.test(value, name) ? findingOf(RANDOM_VALUE) : undefined;
}

/** No credential with a form of its own is shorter; most values of an environment are, and cost nothing. */
export const SHORTEST_SHAPE = 12;

const ANCHORED = SHAPES.flatMap((shape) => shape.anchors.map((anchor) => ({ anchor, shape })));

/** Whether a credential with a form of its own stands in it, whatever it is called. */
export const holdsKnownForm = (value: Bytes) => shapeIn(value) !== undefined;

function shapeIn(value: Bytes): ShapeRule | undefined {
  if (value.length < SHORTEST_SHAPE) return undefined;
  for (const { anchor, shape } of ANCHORED) if (value.includes(anchor) && shape.pattern.test(value)) return shape;
  return undefined;
}

function findingOf({ id, what }: ShapeRule | ReadingRule): GuardFinding {
  return { rule: id, reason: `the value holds ${what}` };
}

/** The value as it stands and, where it is encoded as a whole, what it says when decoded once. */
function readingsOf(value: Bytes): readonly Bytes[] {
  return [value, percentDecoded(value), base64Text(value)].filter((reading) => reading !== undefined);
}

function percentDecoded(value: Bytes): Bytes | undefined {
  if (!value.includes('%')) return undefined;
  const decoded = value.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return decoded === value ? undefined : (decoded as Bytes);
}

/** The text behind a value that is base64 as a whole; a picture or a digest has none. */
function base64Text(value: Bytes): Bytes | undefined {
  if (value.length < 16 || !isText(Buffer.from(value.slice(0, 64), 'base64'))) return undefined;
  if (!/^[A-Za-z0-9+/_\s-]+={0,2}$/.test(value.trim())) return undefined;
  const decoded = Buffer.from(value, 'base64');
  return isText(decoded) ? (decoded.toString('latin1') as Bytes) : undefined;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
