import { showText } from '../../host/bytes.ts';
import { Pattern } from '../pattern.ts';
import type { DenyRule, FilesystemPolicy, Policy, WorkspacePolicy } from '../policy.ts';
import { CLOSED_SESSION } from '../session.ts';
import type { Layer } from './layer.ts';
import { networkOf } from './read-network.ts';
import type { ResolvedProfile } from './resolve.ts';

/** A merged profile as a policy: what no layer says gets its default. */
export function policyOf({ name, where, layer, files }: ResolvedProfile): Policy {
  return {
    origin: `profile ${showText(name)}`,
    base: baseOf(layer, where),
    allow: layer.allow?.rules ?? [],
    deny: denyOf(layer),
    set: layer.set,
    credentials: layer.credentials.map(({ rule }) => rule),
    ...sshOf(layer),
    guard: layer.guard?.value ?? 'off',
    ...(layer.guardExceptions.length === 0 ? {} : { guardExceptions: layer.guardExceptions }),
    filesystem: filesystemOf(layer),
    network: networkOf(layer.network),
    isolation: layer.isolation?.value ?? 'auto',
    redact: layer.redact?.value ?? false,
    ...sessionOf(layer),
    files,
    warnings: layer.warnings,
  };
}

export const sshOf = ({ sshKeys }: Layer): Pick<Policy, 'ssh'> => (sshKeys.length === 0 ? {} : { ssh: sshKeys });

/** An unset name is one that never passes either. */
export function denyOf({ deny, unset }: Layer): DenyRule[] {
  return [...deny, ...unset.map(({ value, origin }) => ({ pattern: Pattern.exactly(value), except: [], origin }))];
}

/** What says nothing about the network keeps it closed in a session. */
function sessionOf({ session, network }: Layer): Pick<Policy, 'session'> {
  const isOpen = network.block?.value === false || network.allow !== undefined;
  if (session === undefined && !isOpen) return {};
  const blocked = session?.blockedHosts ?? [];
  return {
    session: {
      ...CLOSED_SESSION,
      ...session,
      network: isOpen ? networkOf({ ...network, deny: [...network.deny, ...blocked] }) : CLOSED_SESSION.network,
    },
  };
}

/** A list, and be it empty, means only what it names; no list anywhere means everything. */
export function baseOf({ base, allow }: Layer, where: string): Policy['base'] {
  if (base !== undefined) return { preset: base.value, origin: base.origin };
  if (allow !== undefined) return { preset: 'none', origin: allow.origin };
  return { preset: 'all', origin: `${showText(where)} (no allow_vars)` };
}

export function filesystemOf({ filesystem, paths, allowsPaths, workspace }: Layer): FilesystemPolicy {
  const values = (list: readonly { readonly value: string }[]) => list.map(({ value }) => value);
  return {
    preset: filesystem?.value ?? (allowsPaths ? 'minimal' : 'guarded'),
    explicit: filesystem !== undefined || (workspace.mode?.value ?? 'real') !== 'real',
    write: values(paths.write),
    read: values(paths.read),
    hide: values(paths.hide),
    expose: values(paths.expose),
    show: [],
    workspace: workspaceOf(workspace),
  };
}

function workspaceOf({ folder, mode }: Layer['workspace']): WorkspacePolicy {
  return { ...(folder === undefined ? {} : { folder: folder.value }), mode: mode?.value ?? 'real' };
}
