import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { placesOfAgent } from '../../agents/files.ts';
import { findAdapter } from '../../agents/registry.ts';
import { type LogInFile, readLogIn, textAt, writeLogIn } from '../../broker/log-in-file.ts';
import { inTurnAt } from '../../broker/log-in-turn.ts';
import { newSealKey } from '../../broker/sealed-text.ts';
import { isMarked, markedFields, vaultedPlace } from '../../broker/vaulted-log-in.ts';
import { bytesOfText, showBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder, presenceOf, throughLinks } from '../../host/files.ts';
import { isLogInName, LOG_INS, type LogInName, type LogInRule, logInOf } from '../../policy/log-ins.ts';
import { Secret } from '../../secrets/secret.ts';
import { agentConfig } from '../agent-policy.ts';
import { type ParsedArguments, usageError } from '../flags.ts';
import { type CredsTools, storing } from './creds-actions.ts';

/** Where one log-in of an agent may be: in its own file, or in the vault. */
interface LogInPlace {
  readonly agent: LogInName;
  readonly file: string;
  readonly locks: string;
  readonly vaulted: NonNullable<LogInRule['vaulted']>;
}

/**
 * Takes the log-in of an agent out of its file into the vault. In this order, so that it is never nowhere: 1. its key is in the vault;
 * 2. its text is in a file that this key opens, which is tried; 3. marks take the places of the tokens in the agent's file.
 */
export async function takeLogIn(parsed: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const agent = agentOf(parsed, 'take');
  const there = placesOf(agent, context).filter(({ file, vaulted }) => isThere(file) || isThere(vaulted.file));
  if (there.length === 0) throw noLogIn(agent, placesOf(agent, context));
  for (const place of there) context.err(await storing('the log-in', alone(place, tools, take)));
}

async function take({ agent, file, vaulted }: LogInPlace, { vault }: CredsTools['tools']): Promise<string> {
  const own = isThere(file) ? readOwn(agent, file) : undefined;
  if (own === undefined || isMarked(own.fields, agent)) {
    const kept = await openVaulted({ agent, file, vaulted }, vault);
    if (own === undefined) writeLogIn(file, markedFields(kept.fields, agent), { ...kept, ...ownersOf(file) });
    return `the log-in of ${agent} is in the vault already\n`;
  }
  if (tokensIn(own, agent).length === 0) throw unusable(agent, file);
  const key = (await vault.get(vaulted.entry)) ?? new Secret(bytesOfText(newSealKey()));
  await vault.set(vaulted.entry, key);
  ensureFolder(dirname(vaulted.file));
  writeLogIn(vaulted.file, own.fields, { ...own, mode: 0o600, owner: ownersOf(vaulted.file).owner }, key.reveal());
  const kept = await openVaulted({ agent, file, vaulted }, vault);
  writeLogIn(file, markedFields(kept.fields, agent), own);
  return `the log-in of ${agent} is in the vault: ${file} has no token any more, and cordon agent run ${agent} --broker uses it\n`;
}

/** Back into its own file, and only then out of the vault. */
export async function giveLogIn(parsed: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const agent = agentOf(parsed, 'give');
  const kept = placesOf(agent, context).filter(({ vaulted }) => isThere(vaulted.file));
  if (kept.length === 0)
    throw new CordonError('vault', `the vault has no log-in of ${agent}`, { hint: 'see cordon creds list' });
  for (const place of kept) context.err(await storing('the log-in', alone(place, tools, give)));
}

async function give({ agent, file, vaulted }: LogInPlace, { vault }: CredsTools['tools']): Promise<string> {
  const kept = await openVaulted({ agent, file, vaulted }, vault);
  const own = isThere(file) ? readOwn(agent, file) : undefined;
  const isOther = own !== undefined && !isMarked(own.fields, agent);
  if (isOther && tokensIn(own, agent).join() !== tokensIn(kept, agent).join())
    throw new CordonError('vault', `there is another log-in of ${agent} in its file, and nothing was changed`, {
      where: file,
      hint: `log out there first, or keep that one in the vault: cordon creds take ${agent}`,
    });
  // What the agent has learnt meanwhile, such as log-ins to other services, stays.
  const learnt = Object.entries(own?.fields ?? {}).filter(([name]) => !Object.hasOwn(kept.fields, name));
  writeLogIn(
    file,
    { ...kept.fields, ...Object.fromEntries(learnt) },
    { ...kept, ...(own ?? ownersOf(file)), text: kept.text },
  );
  rmSync(vaulted.file);
  await vault.remove(vaulted.entry);
  return `the log-in of ${agent} is in ${file} again\n`;
}

type Act = (place: LogInPlace, tools: CredsTools['tools']) => Promise<string>;

/** Nobody else takes or gives it meanwhile, and no launch renews it. A person who is asked for a passphrase keeps nobody waiting. */
async function alone(place: LogInPlace, tools: CredsTools['tools'], act: Act): Promise<string> {
  const { locks, file, vaulted } = place;
  await tools.vault.get(vaulted.entry);
  return inTurnAt(locks, file, () => inTurnAt(locks, vaulted.file, () => act(place, tools)));
}

function agentOf({ words }: ParsedArguments, action: string): LogInName {
  const [word, ...more] = words;
  const known = Object.keys(LOG_INS).join(', ');
  if (word === undefined || more.length > 0)
    throw usageError(`creds ${action} takes one agent`, `for example: cordon creds ${action} claude`);
  if (isLogInName(word)) return word;
  throw usageError(`the log-in of '${showBytes(word)}' is not known`, `known are those of ${known}`);
}

function placesOf(agent: LogInName, context: CredsTools['context']): LogInPlace[] {
  const { state } = context.folders;
  if (state === undefined)
    throw new CordonError('vault', 'there is no folder for a vault: no home folder is known', {
      hint: 'set CORDON_HOME or HOME',
    });
  const { logInFiles = [] } = findAdapter(agent, agentConfig(context).adapters);
  const files = [...new Set(placesOfAgent(logInFiles, context.env).map(throughLinks))];
  return files.map((file) => ({ agent, file, locks: join(state, 'locks'), vaulted: vaultedPlace(state, agent, file) }));
}

const tokensIn = ({ fields }: LogInFile, agent: LogInName) =>
  logInOf(agent).tokens.flatMap(({ at }) => textAt(fields, at) ?? []);

const isThere = (file: string) => presenceOf(file) !== 'absent';

function readOwn(agent: LogInName, file: string): LogInFile {
  try {
    return readLogIn(file);
  } catch (error) {
    throw unusable(agent, file, (error as NodeJS.ErrnoException).code);
  }
}

async function openVaulted(
  { agent, vaulted }: Pick<LogInPlace, 'agent' | 'file' | 'vaulted'>,
  vault: CredsTools['tools']['vault'],
): Promise<LogInFile> {
  const key = await vault.get(vaulted.entry);
  try {
    return readLogIn(vaulted.file, key?.reveal() ?? '');
  } catch {
    throw new CordonError('vault', `what the vault has of the log-in of ${agent} can't be opened`, {
      where: vaulted.file,
      hint: 'nothing was changed; put back a backup of the vault, or log in again outside',
    });
  }
}

/** As the folder that it lies in. */
function ownersOf(file: string): Pick<LogInFile, 'mode' | 'owner'> {
  const { uid, gid } = statSync(dirname(file));
  return { mode: 0o600, owner: { uid, gid } };
}

const unusable = (agent: LogInName, file: string, code = 'it holds no token that is known') =>
  new CordonError('vault', `the log-in of ${agent} can't be taken: ${code}`, {
    where: file,
    hint: 'nothing was changed; log in again outside',
  });

const noLogIn = (agent: LogInName, places: readonly LogInPlace[]) =>
  new CordonError('vault', `there is no log-in of ${agent}`, {
    where: places.map(({ file }) => file).join(', '),
    hint: 'log in outside first',
  });
