import { existsSync } from 'node:fs';
import { CONFIG, type ConfigData } from '../../policy/config/shape.ts';
import { childOf, type MapNode, type Node } from '../../policy/load/node.ts';
import { readPlain } from '../../policy/load/plain.ts';
import { Problems } from '../../policy/load/problems.ts';
import { readTrustedText } from '../../policy/load/read-file.ts';
import { Source } from '../../policy/load/source.ts';
import { readToml } from '../../policy/load/toml.ts';
import { check } from '../../policy/profile/shape.ts';
import { BUILT_IN_ADAPTERS } from '../registry.ts';
import { readAgents } from './adapter-table.ts';
import { readRole, readRoles, readScopes } from './role-table.ts';
import type { AgentConfig, Role } from './tables.ts';

export const NO_CONFIG: AgentConfig = {
  file: undefined,
  adapters: BUILT_IN_ADAPTERS,
  additions: new Map(),
  roles: new Map(),
  scopes: undefined,
};

/** What cordon.toml says about agents. A file that isn't there says nothing; a bad one is refused whole. */
export function readAgentConfig(path: string): AgentConfig {
  if (!existsSync(path)) return NO_CONFIG;
  const { text } = readTrustedText(path);
  if (saysNothing(text)) return NO_CONFIG;
  const source = new Source(path, text);
  return { ...configOf(source, readToml(source)), file: path };
}

const saysNothing = (text: string) => text.split('\n').every((line) => /^\s*(#|$)/.test(line));

/** The same from a plain object, for library use. */
export function agentConfigOf(data: ConfigData): AgentConfig {
  const source = new Source('config object');
  return configOf(source, readPlain(source, data));
}

function configOf(source: Source, root: Node): AgentConfig {
  const problems = new Problems(source);
  check(CONFIG, withoutTools(root), problems);
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

/** A mistake about a tool stops that tool, and no agent. */
function withoutTools(root: Node): Node {
  return root.kind === 'map' ? { ...root, entries: root.entries.filter(({ key }) => key !== 'tools') } : root;
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
