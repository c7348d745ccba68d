import { workingFolder } from '../host/folders.ts';
import { credentialTools } from '../launch/credentials.ts';
import type { Tools } from '../secrets/sources/source.ts';
import type { Context } from './context.ts';

/** The sources of credentials, with a terminal to ask on. */
export function toolsOf({ env, folders }: Context, workdirs = [workingFolder()]): Omit<Tools, 'signal'> {
  return credentialTools({
    env,
    folders,
    workdirs,
    ask: async (prompt) => (await import('./ui/hidden-prompt.ts')).askHidden(prompt),
  });
}
