import { readFileSync, realpathSync, statSync } from 'node:fs';
import { showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { whyItFailed } from '../host/system-error.ts';
import { replaceFile } from '../host/whole-file.ts';
import { findProfile, namedProfiles, type ProfilePlaces } from '../policy/profile/find.ts';
import { type Pending, pendingIn, say, type Word } from './pending.ts';

export interface HostAnswer {
  readonly ids: readonly string[];
  readonly word: Word;
  /** The profile that is to name the hosts from now on, too. */
  readonly profile?: string | undefined;
}

/** Lets hosts that wait go on, or refuses them, and tells which they were. The profile comes first: when it can't be written, nothing is said. */
export function answer(
  state: string | undefined,
  { ids, word, profile }: HostAnswer,
  places: ProfilePlaces,
): readonly Pending[] {
  const waiting = state === undefined ? [] : pendingIn(state);
  const chosen = ids.map((id) => waiting.find((one) => one.id === id) ?? nothingWaits(id));
  if (profile !== undefined && word !== 'no') allowInProfile(profile, chosen, places);
  for (const { id } of chosen) say(state as string, id, word);
  return chosen;
}

function nothingWaits(id: string): never {
  throw new CordonError('network', `no host waits under the id '${showText(id)}'`, {
    hint: '`cordon net pending` shows what does',
  });
}

/** The user's own profiles that can be written to: their files by their names. */
export function writableProfiles(places: ProfilePlaces): ReadonlyMap<string, string> {
  const own = namedProfiles(places).flatMap((found) => (found.kind === 'file' && found.own ? found : []));
  const writable = own.filter(({ path }) => {
    const profile = profileIn(path);
    return profile !== undefined && profile.network?.block !== true;
  });
  return new Map(writable.map(({ name, path }) => [name, path]));
}

interface Editable {
  readonly network?: { readonly allow?: readonly string[]; readonly block?: unknown };
}

/** Plain JSON is written anew; what has comments or another syntax is its owner's to edit. */
function allowInProfile(reference: string, chosen: readonly Pending[], places: ProfilePlaces): void {
  const found = findProfile(reference, places);
  const entries = chosen.map(({ name, port }) => (port === 443 || port === 80 ? name : `${name}:${port}`));
  const hint = `add to its network.allow: ${JSON.stringify(entries)}`;
  if (found?.kind !== 'file')
    throw new CordonError('network', `'${showText(reference)}' is not a profile in a file`, { hint });
  const where = found.path;
  const profile = profileIn(where);
  if (profile === undefined)
    throw new CordonError('network', 'it is not plain JSON, so it is not edited', { where, hint });
  if (profile.network?.block === true)
    throw new CordonError('network', 'it cuts the network off, so it names no hosts', {
      where,
      hint: 'choose another profile, or allow it for this launch only',
    });
  const network = { ...profile.network, allow: [...new Set([...(profile.network?.allow ?? []), ...entries])] };
  rewrite(where, `${JSON.stringify({ ...profile, network }, null, 2)}\n`);
}

function profileIn(path: string): Editable | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as unknown;
    return isEditable(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEditable(value: unknown): value is Editable {
  if (!isObject(value)) return false;
  const { network } = value;
  return network === undefined || (isObject(network) && (network.allow === undefined || Array.isArray(network.allow)));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A full disk leaves the profile as it was, and a link stays one. */
function rewrite(path: string, text: string): void {
  try {
    const target = realpathSync(path);
    replaceFile(target, text, { mode: statSync(target).mode & 0o777 });
  } catch (cause) {
    if (cause instanceof CordonError) throw cause;
    throw new CordonError('write', `the profile cannot be written: ${whyItFailed(cause)}`, {
      where: path,
      cause,
    });
  }
}
