import { describeNode, type Entry, type MapNode, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { nearest } from '../nearest.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

declare const dataOf: unique symbol;

/** One description of a part of a policy: it checks what was read, and says the same as JSON Schema. `Data` is the type of a plain object that fits. */
export interface Shape<Data = unknown> {
  readonly [dataOf]?: Data;
  /** Completes "expected …". */
  readonly expected: string;
  readonly fits: (node: Node) => boolean;
  /** Looks inside what fits. */
  readonly checkInside?: (node: Node, problems: Problems) => void;
  readonly schema: JsonSchema;
}

export type DataOf<S> = S extends Shape<infer Data> ? Data : never;

export function check(shape: Shape, node: Node, problems: Problems): void {
  if (shape.fits(node)) shape.checkInside?.(node, problems);
  else problems.add(node.place, `expected ${shape.expected}, not ${describeNode(node)}`, quoteHint(shape, node));
}

/** `8080` and `true` are no text in YAML and TOML unless they are quoted. */
function quoteHint({ schema }: Shape, node: Node): string | undefined {
  const wantsText = schema.type === 'string';
  return wantsText && node.kind === 'scalar' && node.value !== null ? 'put it in quotes' : undefined;
}

/** The value is not part of the message: what does not fit may be a secret in the wrong place. */
export function text({ expected = 'text', pattern }: { expected?: string; pattern?: string } = {}): Shape<string> {
  const plain: Shape<string> = { expected, fits: (node) => textOf(node) !== undefined, schema: { type: 'string' } };
  if (pattern === undefined) return plain;
  const fitting = new RegExp(pattern, 'u');
  return {
    ...plain,
    checkInside: (node, problems) => {
      if (!fitting.test(textOf(node) ?? '')) problems.addGeneral(node.place, `expected ${expected}`);
    },
    schema: { type: 'string', pattern },
  };
}

/** A whole number from 1. */
export const count: Shape<number> = {
  expected: 'a whole number from 1',
  fits: (node) => node.kind === 'scalar' && isCount(node.value),
  schema: { type: 'integer', minimum: 1 },
};

const isCount = (value: unknown) =>
  typeof value === 'bigint' ? value >= 1n : Number.isSafeInteger(value) && (value as number) >= 1;

/** Bytes: a number of them, or one with K, M, G or T. */
export const size: Shape<number | string> = {
  expected: 'a number of bytes, or one with K, M, G or T such as 512M',
  fits: (node) =>
    node.kind === 'scalar' && (isCount(node.value) || (typeof node.value === 'string' && SIZE.test(node.value))),
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^[1-9][0-9]{0,8}[KMGT]?$' },
    ],
  },
};

const SIZE = /^[1-9][0-9]{0,8}[KMGT]?$/;

export const flag: Shape<boolean> = {
  expected: 'true or false',
  fits: (node) => node.kind === 'scalar' && typeof node.value === 'boolean',
  schema: { type: 'boolean' },
};

export function choice<const Value extends string>(values: readonly Value[]): Shape<Value> {
  const expected = `one of ${values.join(', ')}`;
  return {
    expected,
    fits: (node) => node.kind === 'scalar' && typeof node.value === 'string',
    checkInside: (node, problems) => {
      const given = node.kind === 'scalar' ? String(node.value) : '';
      if (values.includes(given as Value)) return;
      problems.add(node.place, `expected ${expected}, not '${given}'`, didYouMean(given, values));
    },
    schema: { type: 'string', enum: values },
  };
}

export function listOf<Data>(item: Shape<Data>): Shape<readonly Data[]> {
  return {
    expected: `a list (each: ${item.expected})`,
    fits: (node) => node.kind === 'list',
    checkInside: (node, problems) => {
      for (const child of node.kind === 'list' ? node.items : []) check(item, child, problems);
    },
    schema: { type: 'array', items: item.schema },
  };
}

/** Keys of the writer's own choice. */
export function mapOf<Data>(value: Shape<Data>, expected: string): Shape<Readonly<Record<string, Data>>> {
  return {
    expected,
    fits: (node) => node.kind === 'map',
    checkInside: (node, problems) => {
      for (const entry of uniqueEntries(node as MapNode, problems)) check(value, entry.value, problems);
    },
    schema: { type: 'object', additionalProperties: value.schema },
  };
}

/** The first that fits by its kind is meant. */
export function either<Shapes extends readonly Shape[]>(...shapes: Shapes): Shape<DataOf<Shapes[number]>> {
  return {
    expected: shapes.map(({ expected }) => expected).join(' or '),
    fits: (node) => shapes.some((shape) => shape.fits(node)),
    checkInside: (node, problems) => shapes.find((shape) => shape.fits(node))?.checkInside?.(node, problems),
    schema: { anyOf: shapes.map(({ schema }) => schema) },
  };
}

export interface Field<Data = unknown> {
  readonly shape: Shape<Data>;
  readonly about: string;
  readonly required?: boolean;
}

type ShapeFields = Readonly<Record<string, Field>>;
type FieldsData<F extends ShapeFields> = { readonly [Key in keyof F]?: DataOf<F[Key]['shape']> };

export function object<const F extends ShapeFields>(expected: string, fields: F): Shape<FieldsData<F>> {
  const keys = Object.keys(fields);
  const required = keys.filter((key) => fields[key]?.required === true);
  return {
    expected,
    fits: (node) => node.kind === 'map',
    checkInside: (node, problems) => checkFields(node as MapNode, fields, problems),
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        keys.map((key) => [key, { description: fields[key]?.about, ...fields[key]?.shape.schema }]),
      ),
      ...(required.length === 0 ? {} : { required }),
    },
  };
}

function checkFields(node: MapNode, fields: ShapeFields, problems: Problems): void {
  const entries = uniqueEntries(node, problems);
  for (const { key, keyPlace, value } of entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) check(field.shape, value, problems);
    else problems.add(keyPlace, `unknown key '${key}'`, unknownKeyHint(key, Object.keys(fields)));
  }
  const given = new Set(entries.map(({ key }) => key));
  for (const [key, { required }] of Object.entries(fields)) {
    if (required === true && !given.has(key)) problems.add(node.place, `the key '${key}' is missing here`);
  }
}

function uniqueEntries({ entries }: MapNode, problems: Problems): readonly Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ key, keyPlace }) => {
    if (seen.has(key)) problems.add(keyPlace, `the key '${key}' is written twice`, 'keep one of them');
    return seen.size !== seen.add(key).size;
  });
}

function unknownKeyHint(key: string, known: readonly string[]): string {
  return didYouMean(key, known) ?? `known here: ${known.join(', ')}`;
}

export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}
