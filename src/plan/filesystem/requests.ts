import { normalize } from 'node:path';
import type { FilesystemPolicy } from '../../policy/policy.ts';
import type { Collection, Saying } from './collect.ts';
import type { Found } from './disk.ts';
import { isWithin } from './paths.ts';
import { SYSTEM_FOLDERS } from './system.ts';

const WORKSPACE: Saying = { access: 'writable', speaker: 'preset', why: 'the workspace' };
const OWN_HOME: Saying = { access: 'private', speaker: 'preset', why: 'a home of its own' };

/** The workspace is there unless something hides it; from an empty root, only `workspace` brings it in, with a home of the command's own. */
export function openWorkspace(into: Collection, policy: FilesystemPolicy): void {
  const { workspace } = into.facts;
  const found = policy.preset === 'minimal' ? undefined : into.disk.existing(workspace);
  if (found?.kind === 'dir') show(into, policy, workspace, found, WORKSPACE);
  if (policy.preset !== 'workspace') return;
  for (const path of into.homes.filter((home) => home !== '/')) into.covers.push({ path, kind: 'dir', ...OWN_HOME });
  const { home } = into.facts;
  if (home !== undefined && !into.homes.includes(home) && home !== '/')
    into.covers.push({ path: home, kind: 'dir', ...OWN_HOME });
}

/** What the policy says by name. */
export function applyPolicy(into: Collection, policy: FilesystemPolicy): void {
  const sayings: readonly (readonly [readonly string[], Saying])[] = [
    [policy.hide, { access: 'hidden', speaker: 'policy', why: 'the policy hides it' }],
    [policy.expose, { access: 'writable', speaker: 'policy', why: 'the policy exposes it', lifts: true }],
    [policy.read, { access: 'readonly', speaker: 'policy', why: 'the policy says read-only' }],
    [policy.write, { access: 'writable', speaker: 'policy', why: 'the policy says writable' }],
  ];
  for (const [paths, saying] of sayings)
    for (const path of paths) apply(into, policy, withoutSlash(normalize(path)), saying);
}

function apply(into: Collection, policy: FilesystemPolicy, path: string, saying: Saying): void {
  const found = into.disk.find(path);
  if ('missing' in found) {
    into.expectAbsent(found.missing);
    into.notes.add(`${path} is not there (${saying.why})`);
  } else if (found.path !== '/') show(into, policy, path, found, saying);
  else if (saying.access === 'hidden')
    into.notes.add('/ cannot be hidden; the preset minimal has nothing but what is listed');
}

/** In a root built from nothing there are no links either, so what is reached through one is put where it was asked for as well. */
function show(into: Collection, { preset }: FilesystemPolicy, path: string, found: Found, saying: Saying): void {
  into.coverFound(found, saying);
  const built = preset === 'workspace' || preset === 'minimal';
  if (
    !built ||
    path === found.path ||
    saying.access === 'hidden' ||
    SYSTEM_FOLDERS.some((folder) => isWithin(path, folder))
  )
    return;
  into.covers.push({ path, kind: found.kind, source: found.path, ...saying });
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
