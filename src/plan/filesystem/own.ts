import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { userFolder } from '../../host/user-lock.ts';
import type { Collection, Saying } from './collect.ts';
import { isWithin } from './paths.ts';

const HIDDEN: Saying = { access: 'hidden', speaker: 'cordon', why: "Cordon's vault, identity and secrets" };
const POLICIES: Saying = { access: 'readonly', speaker: 'cordon', why: "Cordon's policies" };
const PROGRAMS: Saying = { access: 'readonly', speaker: 'cordon', why: "Cordon's programs" };
const RECORDS: Saying = { access: 'hidden', speaker: 'cordon', why: "Cordon's records" };

/** Everything else in the configuration folder is hidden, whatever it is called: a later version's secrets too. */
const POLICY_FILES = ['cordon.toml', 'profiles'];
const SECRET_FILES = ['secrets.yaml', 'users', 'users/*', 'users/*/*', 'vault*', 'identity*'];

/** Cordon's own folders, in every preset. */
export function guardOwnFolders(into: Collection): void {
  const { config, bin, state } = into.facts.folders;
  if (config !== undefined) guardConfiguration(into, config);
  if (bin !== undefined) guard(into, bin, PROGRAMS);
  if (state !== undefined) guard(into, state, RECORDS);
  const shared = userFolder();
  if (shared !== undefined) into.cover(shared, RECORDS);
  for (const folder of ownProgram()) into.cover(folder, PROGRAMS);
}

/** The folder this code runs from, and the one with the command beside it: a user's own installation could be rewritten. */
function ownProgram(): string[] {
  const folder = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
  return [folder, join(folder, '..', 'bin')];
}

function guardConfiguration(into: Collection, config: string): void {
  const folder = guard(into, config, HIDDEN);
  if (folder === undefined) return;
  for (const name of POLICY_FILES) showPolicy(into, join(folder, name));
  for (const path of into.disk.expand(folder, 'profiles/*')) coverTarget(into, path, POLICIES);
  for (const pattern of SECRET_FILES)
    for (const path of into.disk.expand(folder, pattern)) coverTarget(into, path, HIDDEN);
}

function guard(into: Collection, path: string, saying: Saying): string | undefined {
  const from = realStart(into, path);
  const found = into.cover(from, saying);
  if (!('missing' in found)) {
    if (found.kind === 'dir' && found.link === undefined)
      into.hold(from, into.homes.find((home) => isWithin(from, home)) ?? dirname(from), { kind: 'dir' });
    return found.path;
  }
  if (into.covers.some((cover) => cover.speaker === 'cordon' && isWithin(from, cover.path))) return undefined;
  if (!into.occupy(from, found, { ...saying, empty: true }, { kind: 'dir' }))
    into.notes.add(`${path} is not there and cannot be held back from being made`);
  return undefined;
}

/** A home that is a link is followed, so that absent folders in it can be guarded too. */
export function realStart({ disk, facts }: Pick<Collection, 'disk' | 'facts'>, path: string): string {
  for (const home of [facts.home, facts.passwdHome]) {
    if (home === undefined || home === '/' || !isWithin(path, home)) continue;
    const real = disk.existing(home)?.path;
    if (real !== undefined) return join(real, path.slice(home.length));
  }
  return path;
}

/** The hidden folder shows its policies again; a policy kept elsewhere and linked to is read-only there too. */
function showPolicy(into: Collection, path: string): void {
  const found = into.disk.existing(path);
  if (found === undefined) return;
  into.covers.push({ path, kind: found.kind, ...POLICIES, source: found.path });
  coverTarget(into, path, POLICIES);
}

/** What stands in the folder itself is taken care of; a link leads out of it. */
function coverTarget(into: Collection, path: string, saying: Saying): void {
  if (!into.disk.stat(path)?.isSymbolicLink()) return;
  const found = into.disk.existing(path);
  if (found !== undefined) into.coverFound(found, saying);
}
