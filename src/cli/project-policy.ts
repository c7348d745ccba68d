import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { reading } from '../host/files.ts';
import { homesOf, projectProfileAt, workingFolder } from '../host/folders.ts';
import { shellWord } from '../host/shell-word.ts';
import { envFileRules, readEnvLines } from '../policy/env-file.ts';
import type { Policy } from '../policy/policy.ts';
import { policyOf } from '../policy/profile/finish.ts';
import { resolveProfiles } from '../policy/profile/resolve.ts';
import { isTrusted, readTrusted } from '../policy/trusted.ts';
import type { Context } from './context.ts';
import { usageError } from './flags.ts';
import { profilePlaces, withWildcardWarnings } from './profiles.ts';

export interface ProjectPolicy {
  /** Undefined: it does nothing. */
  readonly policy?: Policy;
  readonly note: string;
}

/** Else a project would be under a policy, or get the credentials, that were trusted for another one. */
export const IS_LINK = 'it is a link, or lies behind one, and those are never trusted';

/** The policy that the project carries, if a person trusts it as it is now. */
export async function projectPolicy(path: string, context: Context): Promise<ProjectPolicy> {
  const trusted = readTrusted(context.folders.config);
  const asks = `${path} does nothing: it is not trusted; cordon trust shows what it would change`;
  try {
    if (realpathSync(path) !== path) return { note: `${path} does nothing: ${IS_LINK}` };
    if (!Object.hasOwn(trusted, path)) return { note: asks };
    const resolved = await resolveProfiles([path], profilePlaces(context));
    if (!isTrusted(trusted, path, resolved.sources))
      return { note: `${path} does nothing: it changed since it was trusted; cordon trust shows what it would change` };
    const policy = { ...policyOf(resolved), origin: `project ${basename(dirname(dirname(path)))}` };
    return { policy: withWildcardWarnings(policy, context), note: `${path} is in force` };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return { note: `${path} does nothing: ${error.message}` };
  }
}

/** Where commands may write, so that what stands there is nobody's word until someone trusts it. */
export function isInProject(path: string, { env }: Pick<Context, 'env'>): boolean {
  const { home, passwdHome } = homesOf(env);
  const real = realpathSync(path);
  const folders = [workingFolder(), realpathSync(workingFolder())];
  return (
    !real.startsWith(`${realpathSync(home ?? passwdHome ?? '/')}/.config/`) &&
    folders.some((folder) => isNear(real, folder))
  );
}

/** In the folder, or in the repository around it. */
function isNear(path: string, folder: string): boolean {
  const root = repositoryAround(folder) ?? folder;
  return path === root || path.startsWith(`${root}/`);
}

/** Whether a link that lies in the project leads to it: whoever writes there says where, even if that is elsewhere. */
export function isLedByProject(path: string): boolean {
  const parts = path.split('/');
  let at = '/';
  for (let links = 0; parts.length > 0 && links < MOST_LINKS; ) {
    const part = parts.shift() as string;
    const next = part === '..' ? dirname(at) : join(at, part);
    if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    if (isNear(next, workingFolder())) return true;
    links++;
    const target = readlinkSync(next);
    parts.unshift(...target.split('/'));
    if (target.startsWith('/')) at = '/';
  }
  return parts.length > 0;
}

/** As many as the kernel follows. */
const MOST_LINKS = 40;

function repositoryAround(folder: string): string | undefined {
  for (let at = folder; at !== '/'; at = resolve(at, '..')) {
    try {
      realpathSync(`${at}/.git`);
      return at;
    } catch {
      // Further up.
    }
  }
  return undefined;
}

/** `--env-file`: fixed values are set, references are injected; those of a file that commands can write need a person's trust. */
export function withEnvFile(policy: Policy, file: string, context: Context): Policy {
  const path = resolve(workingFolder(), file);
  const text = readEnvFile(path, file);
  const { set, credentials } = envFileRules(readEnvLines(text, file), file);
  if (credentials.length > 0 && isLedByProject(path))
    throw usageError(`--env-file ${file}: it asks for credentials, and ${IS_LINK}`, 'name the file itself');
  if (
    credentials.length > 0 &&
    isInProject(path, context) &&
    !isTrusted(readTrusted(context.folders.config), realpathSync(path), new Map([[realpathSync(path), text]]))
  )
    throw usageError(
      `--env-file ${file}: it asks for credentials and lies where commands can write`,
      `look at it, then: cordon trust ${shellWord(file)}`,
    );
  const names = new Set([...set.map(({ name }) => name), ...credentials.map(({ target }) => target)]);
  return {
    ...policy,
    set: [...policy.set.filter(({ name }) => !names.has(name)), ...set],
    credentials: [...policy.credentials.filter(({ target }) => !names.has(target)), ...credentials],
    files: [...new Set([...policy.files, path, realpathSync(path)])],
  };
}

export function readEnvFile(path: string, shown: string): string {
  try {
    return reading(path, 'followed', (descriptor) => readFileSync(descriptor, 'utf8'));
  } catch (error) {
    throw usageError(`${shown} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`, 'check the path');
  }
}

export const projectProfile = ({ env }: Pick<Context, 'env'>) => {
  const { home, passwdHome } = homesOf(env);
  return projectProfileAt(workingFolder(), [home, passwdHome]);
};
