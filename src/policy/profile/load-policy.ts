import { type Folders, workingFolder } from '../../host/folders.ts';
import type { Policy } from '../policy.ts';
import { policyOf } from './finish.ts';
import { resolveObject, resolveProfiles } from './resolve.ts';
import type { ProfileData } from './schema.ts';

/** Which profile, and where it is looked for. */
export interface LoadPolicyOptions {
  /** A name, the path of a file, several of them (like `extends`), or the profile itself. */
  readonly profile: string | readonly string[] | ProfileData;
  /** Cordon's own folders. Without them no configuration is read: names mean the built-in profiles. */
  readonly folders?: Pick<Folders, 'config'> | undefined;
  /** What `~` stands for in paths. */
  readonly home?: string | undefined;
  /** What a relative path of a profile is relative to. */
  readonly workdir?: string | undefined;
}

/** A profile as a policy: read, checked as a whole, with what it extends. */
export async function loadPolicy({
  profile,
  folders,
  home,
  workdir = workingFolder(),
}: LoadPolicyOptions): Promise<Policy> {
  const places = { config: folders?.config, home, workdir };
  if (typeof profile === 'string') return policyOf(await resolveProfiles([profile], places));
  if (isNames(profile)) return policyOf(await resolveProfiles(profile, places));
  return policyOf(await resolveObject(profile, places));
}

const isNames = (profile: readonly string[] | ProfileData): profile is readonly string[] => Array.isArray(profile);
