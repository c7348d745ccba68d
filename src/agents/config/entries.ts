import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { credentialRule } from '../../policy/credential.ts';
import { childOf, type Entry, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import type { Problems } from '../../policy/load/problems.ts';
import { Pattern } from '../../policy/pattern.ts';
import type { AllowRule, CredentialRule, DenyRule } from '../../policy/policy.ts';
import {
  asksForEverything,
  isNeverName,
  isPresetEntry,
  nameProblem,
  presetRules,
} from '../../policy/presets/presets.ts';
import { didYouMean } from '../../policy/profile/shape.ts';
import type { Key } from './tables.ts';

export const entriesOf = (node: Node | undefined): readonly Entry[] => (node?.kind === 'map' ? node.entries : []);

/** Runs a reader that refuses by itself, and puts its refusal among the problems of the file. */
function collected<T>(place: Node['place'], problems: Problems, read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    problems.add(place, error.message, error.hint);
    return [];
  }
}

export function readKeys(node: Node | undefined, problems: Problems): Key[] {
  return itemsOf(node).flatMap((item) => {
    const name = textOf(item);
    if (name === undefined) return [];
    const problem = keyProblem(name);
    if (problem !== undefined) problems.add(item.place, `'${name}' cannot be an extra key: ${problem}`);
    return [{ name: bytesOfText(name), origin: problems.where(item.place) }];
  });
}

function keyProblem(name: string): string | undefined {
  if (/[*?[\]]/.test(name)) return 'extra keys are exact names, since they pass the credential guard';
  if (!/^[A-Za-z_]\w*$/.test(name)) return 'it is not the name of a variable';
  const problem = nameProblem(bytesOfText(name));
  return isNeverName(bytesOfText(name)) ? `${problem}, which nothing overrides` : problem;
}

export function readAllowList(node: Node | undefined, problems: Problems): AllowRule[] {
  return itemsOf(node).flatMap((item) => {
    const entry = textOf(item);
    if (entry === undefined) return [];
    const origin = problems.where(item.place);
    return collected(item.place, problems, () => {
      if (isPresetEntry(entry)) return presetRules(entry, origin);
      const pattern = Pattern.parse(entry);
      if (asksForEverything(pattern))
        problems.add(item.place, `'${entry}' asks for every variable, which no agent gets`, EVERYTHING);
      return [{ pattern, origin }];
    });
  });
}

const EVERYTHING = 'name the variables, or a prefix such as MYAPP_*';

export function readDenyList(node: Node | undefined, problems: Problems): DenyRule[] {
  return itemsOf(node).flatMap((item) =>
    collected(item.place, problems, () => {
      const pattern = textOf(item.kind === 'map' ? childOf(item, 'pattern') : item);
      const except = itemsOf(childOf(item, 'except')).map((one) => Pattern.parse(textOf(one) ?? ''));
      return pattern === undefined
        ? []
        : [{ pattern: Pattern.parse(pattern), except, origin: problems.where(item.place) }];
    }),
  );
}

/** `TARGET = "SOURCE"`, for keys of this table's agent and no others. */
export function readCredentials(
  node: Node | undefined,
  known: readonly string[],
  problems: Problems,
): CredentialRule[] {
  return entriesOf(node).flatMap(({ key, keyPlace, value }) => {
    const source = textOf(value);
    if (source === undefined) return [];
    problems.hide([value.place]);
    if (!known.includes(key)) {
      problems.add(
        keyPlace,
        `'${key}' is not one of its keys`,
        didYouMean(key, known) ?? 'add it to extra_keys if it is meant',
      );
      return [];
    }
    return collected(value.place, problems, () => [
      credentialRule({ target: bytesOfText(key), source, origin: problems.where(keyPlace) }),
    ]);
  });
}
