import type { Bytes } from '../../host/bytes.ts';
import type { GuardFinding, ReadingRule, ShapeRule } from './finding.ts';
import { readingsOf } from './readings.ts';
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
