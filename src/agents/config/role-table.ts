import { bytesOfText } from '../../host/bytes.ts';
import { childOf, type Entry, entryOf, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import type { Problems } from '../../policy/load/problems.ts';
import { Pattern } from '../../policy/pattern.ts';
import { readNetwork } from '../../policy/profile/read-network.ts';
import { didYouMean } from '../../policy/profile/shape.ts';
import { entriesOf, readAllowList, readCredentials, readDenyList, readKeys } from './entries.ts';
import type { AgentMode, Role, Scope } from './tables.ts';

/** `[roles.NAME]`: what agents of a role get beside their adapter's own. */
export function readRoles(node: Node | undefined, known: readonly string[], problems: Problems): Map<string, Role> {
  return new Map(entriesOf(node).map((entry) => [entry.key, readRole(entry, known, problems)]));
}

export function readRole({ key: name, keyPlace, value }: Entry, known: readonly string[], problems: Problems): Role {
  const keys = readKeys(childOf(value, 'extra_keys'), problems);
  return {
    name,
    origin: problems.where(keyPlace),
    keys,
    network: readNetwork(childOf(value, 'network'), problems),
    saysKeys: entryOf(value, 'extra_keys') !== undefined,
    allow: readAllowList(childOf(value, 'allow'), problems),
    deny: readDenyList(childOf(value, 'deny'), problems),
    credentials: readCredentials(childOf(value, 'credentials'), [...known, ...keys.map((key) => key.name)], problems),
    profile: textOf(childOf(value, 'profile')),
    mode: textOf(childOf(value, 'mode')) as AgentMode | undefined,
  };
}

/** `[scopes."GLOB"]`; scoping is on as soon as the section is there. */
export function readScopes(
  node: Node | undefined,
  known: readonly string[],
  problems: Problems,
): readonly Scope[] | undefined {
  if (node === undefined) return undefined;
  return entriesOf(node).flatMap((entry) => readScope(entry, known, problems));
}

function readScope({ key, keyPlace, value }: Entry, known: readonly string[], problems: Problems): Scope[] {
  const keys = itemsOf(childOf(value, 'keys')).flatMap((item) => {
    const name = textOf(item);
    if (name !== undefined && !known.includes(name))
      problems.add(
        item.place,
        `no agent or role knows the key '${name}'`,
        didYouMean(name, known) ?? 'add it to the extra_keys of an agent or role',
      );
    return name === undefined ? [] : [bytesOfText(name)];
  });
  if (key === '' || /[\s=]/.test(key)) {
    problems.add(keyPlace, 'a scope is named by an id, a pattern of ids, or a role');
    return [];
  }
  return [{ pattern: Pattern.parse(key), keys, origin: problems.where(keyPlace) }];
}
