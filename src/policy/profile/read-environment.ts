import { type Bytes, bytesOfText, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { isUsableName } from '../../host/parent-env.ts';
import { childOf, type Entry, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { Pattern } from '../pattern.ts';
import { expandValue, type PathRoots } from '../places.ts';
import type { AllowRule, DenyRule, GuardException, SetRule } from '../policy.ts';
import { isNeverName, isPresetEntry, NEVER_PATTERNS, nameProblem, presetRules } from '../presets/presets.ts';
import type { AllowList, Located } from './layer.ts';
import { ALLOW_PATTERN } from './schema.ts';

export interface Reading {
  readonly problems: Problems;
  readonly warnings: string[];
  /** What `$HOME` and the like stand for in values. */
  readonly roots: PathRoots;
}

const ALLOW_HINT = 'write an exact name, PREFIX* or *';

/** `allow_vars` and `allow_patterns` are one list in two ways to write it. */
export function readAllow(environment: Node | undefined, reading: Reading): AllowList | undefined {
  const [names, patterns] = [entryOf(environment, 'allow_vars'), entryOf(environment, 'allow_patterns')];
  const entry = names ?? patterns;
  if (entry === undefined) return undefined;
  const rules = [
    ...itemsOf(names?.value).flatMap((item) => readAllowEntry(item, reading)),
    ...itemsOf(patterns?.value).flatMap((item) => readAllowPattern(item, reading)),
  ];
  return { origin: reading.problems.where(entry.keyPlace), rules };
}

function readAllowPattern(item: Node, { problems, warnings }: Reading): AllowRule[] {
  const pattern = readGlob(patternNode(item), problems, ignoresCase(item));
  if (pattern === undefined) return [];
  const rule: AllowRule = { pattern, origin: problems.where(item.place) };
  if (admitsNothing(pattern)) warnings.push(uselessEntry(pattern.source, 'allow_patterns', rule.origin));
  return [rule];
}

const patternNode = (item: Node) => (item.kind === 'map' ? childOf(item, 'pattern') : item);

function ignoresCase(item: Node): boolean {
  const node = childOf(item, 'ignore_case');
  return node?.kind === 'scalar' && node.value === true;
}

function readAllowEntry(item: Node, { problems, warnings }: Reading): AllowRule[] {
  const entry = textOf(item);
  if (entry === undefined) return [];
  const problem = allowEntryProblem(entry);
  if (problem !== undefined) {
    problems.add(item.place, problem, ALLOW_HINT);
    return [];
  }
  if (isPresetEntry(entry)) return readPreset(item, entry, problems);
  const rule: AllowRule = { pattern: parseAllowEntry(entry), origin: problems.where(item.place) };
  if (admitsNothing(rule.pattern)) warnings.push(uselessEntry(entry, 'allow_vars', rule.origin));
  return [rule];
}

function readPreset(item: Node, entry: string, problems: Problems): AllowRule[] {
  try {
    return presetRules(entry, problems.where(item.place));
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    problems.add(item.place, error.message, error.hint);
    return [];
  }
}

const uselessEntry = (entry: string, key: string, origin: string) =>
  `${origin}: ${showText(entry)} in ${key} does nothing: it is on the code-injection list, which no policy overrides`;

export function readDeny(environment: Node | undefined, { problems }: Reading): DenyRule[] {
  return itemsOf(childOf(environment, 'deny_vars')).flatMap((item) => {
    const anyCase = ignoresCase(item);
    const pattern = readGlob(patternNode(item), problems, anyCase);
    const except = listed(childOf(item, 'except')).map((one) => readGlob(one, problems, anyCase));
    if (pattern === undefined) return [];
    return [{ pattern, except: except.filter((one) => one !== undefined), origin: problems.where(item.place) }];
  });
}

/** One text stands for a list of one. */
export function listed(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return node.kind === 'list' ? node.items : [node];
}

function readGlob(node: Node | undefined, problems: Problems, anyCase = false): Pattern | undefined {
  const source = textOf(node);
  if (node === undefined || source === undefined) return undefined;
  try {
    return anyCase ? Pattern.ignoringCase(source) : Pattern.parse(source);
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    problems.add(node.place, error.message, 'patterns are names with *, ?, [seq] or [!seq]');
    return undefined;
  }
}

export function readSet(environment: Node | undefined, { problems, warnings, roots }: Reading): SetRule[] {
  const values = childOf(environment, 'set_vars');
  if (values?.kind !== 'map') return [];
  problems.hide(values.entries.map(({ value }) => value.place));
  return values.entries.flatMap((entry) => readSetEntry(entry, { problems, warnings, roots }));
}

function readSetEntry({ key, keyPlace, value }: Entry, { problems, warnings, roots }: Reading): SetRule[] {
  const content = textOf(value);
  if (content === undefined) return [];
  const problem = setNameProblem(key);
  if (problem !== undefined) problems.add(keyPlace, `'${key}' cannot be set: ${problem.why}`, problem.hint);
  if (content.includes('\0')) problems.add(value.place, `the value of '${key}' has a NUL, which no variable can hold`);
  const { text, unknown, other } = expandValue(content, roots);
  if (unknown !== undefined)
    problems.add(
      value.place,
      `${unknown} in the value of '${key}' is not known here`,
      `write $${unknown} for the text`,
    );
  if (other)
    warnings.push(
      `${problems.where(keyPlace)}: the value of ${showText(key)} has a $ that nothing expands, and is passed on as it is written: only $HOME, $WORKDIR and $XDG_… are known`,
    );
  return [{ name: bytesOfText(key), value: bytesOfText(text), origin: problems.where(keyPlace) }];
}

function setNameProblem(name: string): { why: string; hint?: string } | undefined {
  const why = /\s/.test(name) ? 'it is not the name of a variable' : nameProblem(bytesOfText(name));
  if (why === undefined) return undefined;
  return isNeverName(bytesOfText(name)) ? { why, hint: SET_INSIDE } : { why };
}

const SET_INSIDE = 'set it inside, in the command itself, if it is really meant';

/** A name here is one variable: what should be gone has to be said exactly. */
export function readUnset(environment: Node | undefined, { problems }: Reading): Located<Bytes>[] {
  const set = childOf(environment, 'set_vars');
  return itemsOf(childOf(environment, 'unset_vars')).flatMap((item) => {
    const name = textOf(item);
    if (name === undefined) return [];
    if (!isUsableName(bytesOfText(name)) || /[\s*?[\]]/.test(name))
      problems.add(item.place, `'${showText(name)}' is not the name of a variable`, 'for a pattern use deny_vars');
    if (childOf(set, name) !== undefined)
      problems.add(item.place, `'${showText(name)}' is set in the same profile`, 'leave it out of one of them');
    return [{ value: bytesOfText(name), origin: problems.where(item.place) }];
  });
}

const SHORTEST_REASON = 8;

/** Somebody has to have thought about it: a name alone is not enough. */
export function readGuardExceptions(environment: Node | undefined, { problems }: Reading): GuardException[] {
  const node = childOf(environment, 'guard_exceptions');
  if (node?.kind !== 'map') return [];
  return node.entries.flatMap(({ key, keyPlace, value }) => {
    const reason = textOf(value)?.trim();
    if (reason === undefined) return [];
    if (!isUsableName(bytesOfText(key)) || /[\s*?[\]]/.test(key))
      problems.add(keyPlace, `'${showText(key)}' is not the name of a variable`, 'an exception is for one exact name');
    if (reason.length < SHORTEST_REASON)
      problems.add(value.place, 'the reason is missing', 'say why this name is not a credential, in a few words');
    return [{ name: bytesOfText(key), reason, origin: problems.where(keyPlace) }];
  });
}

const WELL_FORMED = new RegExp(ALLOW_PATTERN, 'u');

/** Why an entry of allow_vars can't be one, or undefined. */
function allowEntryProblem(entry: string): string | undefined {
  if (WELL_FORMED.test(entry)) return undefined;
  if (entry === '') return 'an entry of allow_vars is empty';
  const name = `'${showText(entry)}'`;
  if (entry.includes('*')) return `${name}: a * is possible only at the end, once`;
  if (/[?[\]]/.test(entry)) return `${name}: allow_vars knows no ?, [ or ], only a * at the end`;
  return `${name} has a character that no name of a variable can have`;
}

/** An entry that the code-injection list covers whole, so that it admits nothing. */
export function admitsNothing(pattern: Pattern): boolean {
  const { prefix, exact, source } = pattern;
  if (exact) return NEVER_PATTERNS.some((never) => never.pattern.matches(source));
  return NEVER_PATTERNS.some(
    (never) => never.pattern.prefix !== undefined && prefix?.startsWith(never.pattern.prefix) === true,
  );
}

function parseAllowEntry(entry: string): Pattern {
  return Pattern.ofBytes(bytesOfText(entry));
}
