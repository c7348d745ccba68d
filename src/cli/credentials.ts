import { resolve } from 'node:path';
import { workingFolder } from '../host/folders.ts';
import type { Policy } from '../policy/policy.ts';
import type { CredentialMap } from '../secrets/sources/source.ts';
import type { Context } from './context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from './flags.ts';

const NONE: CredentialMap = new Map();

/** The values a launch needs, before anything is started. A rehearsal resolves nothing. */
export async function credentialsFor(
  policy: Policy,
  parsed: ParsedArguments,
  context: Context,
): Promise<CredentialMap> {
  if (policy.credentials.length === 0) return NONE;
  const { resolveCredentials, unresolvedCredentials } = await import('../secrets/resolve.ts');
  if (hasFlag(parsed, '--dry-run')) return unresolvedCredentials(policy.credentials);
  const { toolsOf } = await import('./credential-tools.ts');
  return resolveCredentials(policy.credentials, toolsOf(context, workdirsOf(parsed)), timeLimitOf(parsed));
}

/** An agent may work elsewhere than where Cordon was started. */
function workdirsOf(parsed: ParsedArguments): string[] {
  const given = flagValues(parsed, '--workdir').map((value) => resolve(textValue(value, '--workdir')));
  return [workingFolder(), ...given];
}

function timeLimitOf(parsed: ParsedArguments): { timeLimit?: number } {
  const given = flagValues(parsed, '--credential-timeout').at(-1);
  if (given === undefined) return {};
  const text = textValue(given, '--credential-timeout');
  if (!/^\d{1,4}(\.\d+)?$/.test(text) || Number(text) === 0)
    throw usageError(`--credential-timeout needs seconds, not '${text}'`);
  return { timeLimit: Number(text) * 1000 };
}
