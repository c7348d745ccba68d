import { resolve } from 'node:path';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { workingFolder } from '../host/folders.ts';
import type { LogInRule } from '../policy/log-ins.ts';
import type { Policy } from '../policy/policy.ts';
import type { Secret } from '../secrets/secret.ts';
import type { CredentialMap, Tools } from '../secrets/sources/source.ts';
import type { Context } from './context.ts';
import { flagValues, hasFlag, numberOf, type ParsedArguments, textValue } from './flags.ts';
import { needsValues } from './start-policy.ts';

const NONE: CredentialMap = new Map();

/** The values a launch needs, before anything is started. A rehearsal resolves nothing. */
export async function credentialsFor(
  policy: Policy,
  parsed: ParsedArguments,
  context: Context,
): Promise<CredentialMap> {
  if (!needsValues(policy)) return NONE;
  const { resolveCredentials, unresolvedCredentials } = await import('../secrets/resolve.ts');
  if (hasFlag(parsed, '--dry-run')) return unresolvedCredentials(policy.credentials);
  const { toolsOf } = await import('./credential-tools.ts');
  const tools = toolsOf(context, workdirsOf(parsed));
  const values = await resolveCredentials(policy.credentials, tools, timeLimitOf(parsed));
  return new Map([...values, ...(await keysOfLogIns(policy, tools))]);
}

/** Under the names of their entries: each opens one log-in, and nothing else of the vault. */
async function keysOfLogIns({ logIns = [] }: Policy, tools: Omit<Tools, 'signal'>): Promise<[Bytes, Secret][]> {
  const keys: [Bytes, Secret][] = [];
  for (const { agent, file, vaulted } of logIns) {
    if (vaulted === undefined) continue;
    const key = await tools.vault.get(vaulted.entry);
    if (key === undefined) throw noKey(agent, file);
    keys.push([bytesOfText(vaulted.entry), key]);
  }
  return keys;
}

const noKey = (agent: LogInRule['agent'], file: string) =>
  new CordonError('credential', `the log-in of ${agent} is in the vault, which has no key for it`, {
    where: file,
    hint: 'put back a backup of the vault, or log in again outside',
  });

/** An agent may work elsewhere than where Cordon was started. */
function workdirsOf(parsed: ParsedArguments): string[] {
  const given = flagValues(parsed, '--workdir').map((value) => resolve(textValue(value, '--workdir')));
  return [workingFolder(), ...given];
}

/** Above zero. */
const SECONDS = /^(?!0+(?:\.0+)?$)\d{1,4}(?:\.\d+)?$/;

function timeLimitOf(parsed: ParsedArguments): { timeLimit?: number } {
  const seconds = numberOf(parsed, '--credential-timeout', SECONDS, 'seconds');
  return seconds === undefined ? {} : { timeLimit: seconds * 1000 };
}
