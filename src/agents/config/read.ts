import { bytesOfText } from '../../host/bytes.ts';
import { checkWithoutTools, readConfigFile, sectionsIn } from '../../policy/config/file.ts';
import { CONFIG, type ConfigData } from '../../policy/config/shape.ts';
import { childOf, type Entry, entryOf, itemsOf, type MapNode, type Node, textOf } from '../../policy/load/node.ts';
import { readPlain } from '../../policy/load/plain.ts';
import { Problems } from '../../policy/load/problems.ts';
import { Source } from '../../policy/load/source.ts';
import { Pattern } from '../../policy/pattern.ts';
import { readNetwork } from '../../policy/profile/read-network.ts';
import { check, didYouMean } from '../../policy/profile/shape.ts';
import { BUILT_IN_ADAPTERS } from '../registry.ts';
import { readAgents } from './adapter-table.ts';
import { entriesOf, readAllowList, readCredentials, readDenyList, readKeys } from './entries.ts';
import type { AgentConfig, AgentMode, Role, Scope } from './tables.ts';

export const NO_CONFIG: AgentConfig = {
  file: undefined,
  adapters: BUILT_IN_ADAPTERS,
  additions: new Map(),
  roles: new Map(),
  scopes: undefined,
};

/** What cordon.toml says about agents. A file that isn't there says nothing; a bad one is refused whole. */
export function readAgentConfig(path: string): AgentConfig {
  const source = readConfigFile(path)?.source;
  const root = source === undefined ? undefined : sectionsIn(source);
  return source === undefined || root === undefined ? NO_CONFIG : { ...configOf(source, root), file: path };
}

/** The same from a plain object, for library use. */
export function agentConfigOf(data: ConfigData): AgentConfig {
  const source = new Source('config object');
  return configOf(source, readPlain(source, data));
}

function configOf(source: Source, root: Node): AgentConfig {
  const problems = new Problems(source);
  checkWithoutTools(root, problems);
  const { adapters, additions } = readAgents(childOf(root, 'agents'), problems);
  const agentKeys = [
    ...adapters.flatMap(({ extraKeys }) => extraKeys),
    ...[...additions.values()].flatMap(({ keys }) => keys.map(({ name }): string => name)),
  ];
  const roles = readRoles(childOf(root, 'roles'), agentKeys, problems);
  const known = [
    ...new Set([...agentKeys, ...[...roles.values()].flatMap(({ keys }) => keys.map(({ name }) => name))]),
  ];
  const scopes = readScopes(childOf(root, 'scopes'), known, problems);
  problems.throwIfAny();
  return { file: undefined, adapters, additions, roles, scopes };
}

/** A role that is written where it is used, for library use. */
export function roleOf(data: NonNullable<ConfigData['roles']>[string], { adapters }: AgentConfig): Role {
  const source = new Source('role object');
  const problems = new Problems(source);
  const root = readPlain(source, { roles: { inline: data } }) as MapNode;
  check(CONFIG, root, problems);
  const known = adapters.flatMap(({ extraKeys }) => extraKeys);
  const entry = (childOf(root, 'roles') as MapNode).entries[0];
  const role = entry === undefined ? undefined : readRole(entry, known, problems);
  problems.throwIfAny();
  return role as Role;
}

/** `[roles.NAME]`: what agents of a role get beside their adapter's own. */
function readRoles(node: Node | undefined, known: readonly string[], problems: Problems): Map<string, Role> {
  return new Map(entriesOf(node).map((entry) => [entry.key, readRole(entry, known, problems)]));
}

function readRole({ key: name, keyPlace, value }: Entry, known: readonly string[], problems: Problems): Role {
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
function readScopes(
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
