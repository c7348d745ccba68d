import type { Loaded } from '../load/load.ts';
import { childOf, type Node, textOf } from '../load/node.ts';
import { Problems } from '../load/problems.ts';
import type { PathRoots } from '../places.ts';
import type { GuardMode, Isolation } from '../policy.ts';
import type { BaseName } from '../presets/presets.ts';
import type { Layer, Located } from './layer.ts';
import { readCredentials, readSshKeys } from './read-credentials.ts';
import {
  listed,
  type Reading,
  readAllow,
  readDeny,
  readGuardExceptions,
  readSet,
  readUnset,
} from './read-environment.ts';
import { readFilesystem } from './read-filesystem.ts';
import { readNetwork } from './read-network.ts';
import { readSession } from './read-session.ts';
import { PROFILE } from './schema.ts';
import { check } from './shape.ts';

export interface ReadOptions extends PathRoots {
  readonly mayRunCommands: boolean;
}

export interface ReadProfile {
  readonly description: string | undefined;
  readonly extends: readonly Located<string>[];
  readonly layer: Layer;
}

/** Checks a profile as a whole and gives what it says, with the place of every rule. Whatever is wrong is said at once. */
export function readProfile({ source, root }: Loaded, { mayRunCommands, ...roots }: ReadOptions): ReadProfile {
  const problems = new Problems(source);
  const reading: Reading = { problems, warnings: [], roots };
  const bases = readExtends(root, problems);
  const environment = childOf(root, 'environment');
  const layer: Layer = {
    base: located<BaseName>(childOf(environment, 'base'), problems),
    allow: readAllow(environment, reading),
    deny: readDeny(environment, reading),
    set: readSet(environment, reading),
    unset: readUnset(environment, reading),
    credentials: readCredentials(childOf(root, 'env_credentials'), { problems, mayRunCommands }),
    sshKeys: readSshKeys(childOf(root, 'ssh_keys'), problems),
    guard: located<GuardMode>(childOf(environment, 'guard'), problems),
    guardExceptions: readGuardExceptions(environment, reading),
    ...readFilesystem(root, reading),
    network: readNetwork(childOf(root, 'network'), problems),
    isolation: located<Isolation>(childOf(root, 'isolation'), problems),
    redact: located<boolean>(childOf(root, 'redact'), problems),
    session: readSession(root, problems),
    warnings: reading.warnings,
  };
  check(PROFILE, root, problems);
  problems.throwIfAny();
  return { description: textOf(childOf(childOf(root, 'meta'), 'description')), extends: bases, layer };
}

/** The check of the whole makes sure that the value is of this type. */
function located<Value>(node: Node | undefined, problems: Problems): Located<Value> | undefined {
  return node?.kind === 'scalar' ? { value: node.value as Value, origin: problems.where(node.place) } : undefined;
}

function readExtends(root: Node, problems: Problems): Located<string>[] {
  return listed(childOf(root, 'extends')).flatMap((node) => {
    const name = textOf(node);
    if (name === undefined) return [];
    if (name.trim() === '' || name.includes('\0'))
      problems.add(node.place, 'this is not the name of a profile', 'write its name, or the path of its file');
    return [{ value: name, origin: problems.where(node.place) }];
  });
}
