import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LOG_IN_MARK, type LogInName, type LogInRule, logInOf } from '../policy/log-ins.ts';
import { type LogInFields, readLogIn, shownFields, textAt } from './log-in-file.ts';

/*
 * A log-in that is kept in the vault has a file of its own there, under a key of its own, which is an entry of the vault. The process
 * outside, which renews it, is given that key and not the one to all of the vault. The agent's own file has a mark in the place of each
 * token, and nothing else that is not known to be harmless.
 */

const ENTRY = /^log-in\.([a-z]+)\.[0-9a-f]{16}$/;

/** Two accounts of one agent, in folders that variables name, are two log-ins. */
export function vaultedPlace(state: string, agent: LogInName, file: string): NonNullable<LogInRule['vaulted']> {
  const name = `${agent}.${createHash('sha256').update(file).digest('hex').slice(0, 16)}`;
  return { entry: `log-in.${name}`, file: join(state, 'vault', 'log-ins', name) };
}

/** Whose log-in an entry of the vault is the key of. */
export const agentOfEntry = (entry: string) => ENTRY.exec(entry)?.[1];

export const isMarked = (fields: LogInFields, agent: LogInName) =>
  logInOf(agent).tokens.some(({ at }) => textAt(fields, at) === LOG_IN_MARK);

/** Of a file that may be anything. */
export function isMarkedFile(file: string, agent: LogInName): boolean {
  try {
    return isMarked(readLogIn(file).fields, agent);
  } catch {
    return false;
  }
}

export function markedFields(fields: LogInFields, agent: LogInName): LogInFields {
  const { tokens } = logInOf(agent);
  const there = tokens.filter(({ at }) => textAt(fields, at) !== undefined);
  return shownFields(fields, logInOf(agent), new Map(there.map(({ at }) => [at, LOG_IN_MARK])));
}
