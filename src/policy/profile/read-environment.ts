import { bytesOfText, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { isPresetEntry, presetRules } from '../allow.ts';
import { isNeverName, nameProblem } from '../injection.ts';
import { childOf, type Entry, entryOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { Pattern } from '../pattern.ts';
import type { AllowRule, DenyRule, SetRule } from '../policy.ts';
import { admitsNothing, allowEntryProblem, parseAllowEntry } from './allow-entry.ts';
import type { AllowList } from './layer.ts';

export interface Reading {
  readonly problems: Problems;
  readonly warnings: string[];
}

const ALLOW_HINT = 'write an exact name, PREFIX* or *';

export function readAllow(environment: Node | undefined, reading: Reading): AllowList | undefined {
  const entry = entryOf(environment, 'allow_vars');
  if (entry === undefined) return undefined;
  const rules = itemsOf(entry.value).flatMap((item) => readAllowEntry(item, reading));
  return { origin: reading.problems.where(entry.keyPlace), rules };
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
  if (admitsNothing(rule.pattern)) warnings.push(uselessEntry(entry, rule.origin));
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

const uselessEntry = (entry: string, origin: string) =>
  `${origin}: ${showText(entry)} in allow_vars does nothing: it is on the code-injection list, which no policy overrides`;

export function readDeny(environment: Node | undefined, { problems }: Reading): DenyRule[] {
  return itemsOf(childOf(environment, 'deny_vars')).flatMap((item) => {
    const pattern = readGlob(item.kind === 'map' ? childOf(item, 'pattern') : item, problems);
    const except = listed(childOf(item, 'except')).map((one) => readGlob(one, problems));
    if (pattern === undefined) return [];
    return [{ pattern, except: except.filter((one) => one !== undefined), origin: problems.where(item.place) }];
  });
}

/** One text stands for a list of one. */
export function listed(node: Node | undefined): readonly Node[] {
  if (node === undefined) return [];
  return node.kind === 'list' ? node.items : [node];
}

function readGlob(node: Node | undefined, problems: Problems): Pattern | undefined {
  const source = textOf(node);
  if (node === undefined || source === undefined) return undefined;
  try {
    return Pattern.parse(source);
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    problems.add(node.place, error.message, 'patterns are names with *, ?, [seq] or [!seq]');
    return undefined;
  }
}

export function readSet(environment: Node | undefined, { problems }: Reading): SetRule[] {
  const values = childOf(environment, 'set_vars');
  if (values?.kind !== 'map') return [];
  problems.hide(values.entries.map(({ value }) => value.place));
  return values.entries.flatMap((entry) => readSetEntry(entry, problems));
}

function readSetEntry({ key, keyPlace, value }: Entry, problems: Problems): SetRule[] {
  const content = textOf(value);
  if (content === undefined) return [];
  const problem = setNameProblem(key);
  if (problem !== undefined) problems.add(keyPlace, `'${key}' cannot be set: ${problem.why}`, problem.hint);
  if (content.includes('\0')) problems.add(value.place, `the value of '${key}' has a NUL, which no variable can hold`);
  return [{ name: bytesOfText(key), value: bytesOfText(content), origin: problems.where(keyPlace) }];
}

function setNameProblem(name: string): { why: string; hint?: string } | undefined {
  const why = /\s/.test(name) ? 'it is no name of a variable' : nameProblem(bytesOfText(name));
  if (why === undefined) return undefined;
  return isNeverName(bytesOfText(name)) ? { why, hint: SET_INSIDE } : { why };
}

const SET_INSIDE = 'set it inside, in the command itself, if it is really meant';
