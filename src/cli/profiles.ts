import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { wildcardWarnings } from '../decide/wildcard-warnings.ts';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { homesOf, workingFolder, xdgOf } from '../host/folders.ts';
import { whyItFailed } from '../host/system-error.ts';
import { replaceFile } from '../host/whole-file.ts';
import { EXTENSIONS } from '../policy/load/load.ts';
import type { Policy } from '../policy/policy.ts';
import type { ProfilePlaces } from '../policy/profile/find.ts';
import { policyOf } from '../policy/profile/finish.ts';
import { resolveProfiles } from '../policy/profile/resolve.ts';
import type { Context } from './context.ts';

export function profilePlaces({ env, folders }: Pick<Context, 'env' | 'folders'>): ProfilePlaces {
  const { home, passwdHome } = homesOf(env);
  return { config: folders.config, home: home ?? passwdHome, workdir: workingFolder(), xdg: xdgOf(env) };
}

export async function loadProfiles(
  names: readonly string[],
  context: Pick<Context, 'env' | 'folders'>,
): Promise<Policy> {
  return policyOf(await resolveProfiles(names, profilePlaces(context)));
}

export function withWildcardWarnings(policy: Policy, { env }: Pick<Context, 'env'>): Policy {
  return { ...policy, warnings: [...policy.warnings, ...wildcardWarnings(policy, env)] };
}

const folderFor = (config: string) => join(config, 'profiles');

export function existingProfile(config: string, name: string): string | undefined {
  return EXTENSIONS.map((extension) => join(folderFor(config), `${name}${extension}`)).find((path) => existsSync(path));
}

/** Whole or not at all, and readable by its owner only. */
export function writeProfile(config: string, name: string, text: string): string {
  const folder = folderFor(config);
  const path = join(folder, `${name}.jsonc`);
  const before = existingProfile(config, name);
  try {
    ensureFolder(folder);
    replaceFile(path, text);
  } catch (cause) {
    throw new CordonError('policy', `the profile cannot be written: ${whyItFailed(cause)}`, {
      where: path,
      hint: 'nothing was changed',
      cause,
    });
  }
  if (before !== undefined && before !== path) rmSync(before);
  return path;
}
