import { fchownSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reading } from '../host/files.ts';
import { replaceFile, syncFolder } from '../host/whole-file.ts';
import type { LogIn } from '../policy/log-ins.ts';
import { sealed, unsealed } from './sealed-text.ts';

export type LogInFields = { readonly [name: string]: unknown };

/** A file in which an agent keeps its log-in, or the vault does. */
export interface LogInFile {
  readonly text: string;
  readonly fields: LogInFields;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
}

const LARGEST = 1 << 18;

/** Throws what opening it throws, or says what is wrong with it. With `key` it is one of the vault's. */
export function readLogIn(file: string, key?: string): LogInFile {
  return reading(file, 'followed', (descriptor, stats) => {
    const { mode, uid, gid } = stats;
    if (!stats.isFile() || stats.size > LARGEST) throw new Error('it is not a file of a few kilobytes');
    const data = readFileSync(descriptor);
    const text = key === undefined ? data.toString('utf8') : unsealed(data, key);
    data.fill(0);
    return { text, fields: fieldsIn(text), mode: mode & 0o777, owner: { uid, gid } };
  });
}

function fieldsIn(text: string): LogInFields {
  const fields: unknown = JSON.parse(text);
  if (!isFields(fields)) throw new Error('it holds no JSON object');
  return fields;
}

export const isFields = (value: unknown): value is LogInFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `a.b` is the field b in a. */
function fieldAt(fields: LogInFields, at: string): unknown {
  return at
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isFields(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      fields,
    );
}

export function textAt(fields: LogInFields, at: string): string | undefined {
  const value = fieldAt(fields, at);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withField(fields: LogInFields, at: string, value: unknown): LogInFields {
  const [name = '', ...rest] = at.split('.');
  const inner = fields[name];
  return {
    ...fields,
    [name]: rest.length === 0 ? value : withField(isFields(inner) ? inner : {}, rest.join('.'), value),
  };
}

/** What the command finds: placeholders in the places of tokens, what it needs to know besides, and nothing else. */
export function shownFields(
  fields: LogInFields,
  { shown }: LogIn,
  placeholders: ReadonlyMap<string, string>,
): LogInFields {
  const known = shown.map((at) => [at, fieldAt(fields, at)] as const).filter(([, value]) => value !== undefined);
  return [...known, ...placeholders].reduce<LogInFields>((all, [at, value]) => withField(all, at, value), {});
}

/** With the tokens of an answer in the places of the old ones; what else the file holds stays as it is. */
export function renewedFields(
  fields: LogInFields,
  { tokens, time, account }: LogIn,
  values: ReadonlyMap<string, string>,
  answer: LogInFields,
): LogInFields {
  const now = Date.now();
  const seconds = answer.expires_in;
  const end = typeof seconds === 'number' && Number.isFinite(seconds) ? now + Math.round(seconds * 1000) : undefined;
  const moment = time.says === 'start' ? new Date(now).toISOString() : end;
  const idToken = values.get(tokens.find(({ field }) => field === 'id_token')?.at ?? '');
  const whose = account === undefined || idToken === undefined ? undefined : claimIn(idToken, account.claim);
  const changes: (readonly [string, unknown])[] = [
    ...values,
    ...(moment === undefined ? [] : [[time.at, moment] as const]),
    ...(account === undefined || whose === undefined ? [] : [[account.at, whose] as const]),
  ];
  return changes.reduce<LogInFields>((all, [at, value]) => withField(all, at, value), fields);
}

function claimIn(token: string, [group, name]: readonly [string, string]): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const inner = isFields(claims) ? claims[group] : undefined;
    return isFields(inner) && typeof inner[name] === 'string' ? inner[name] : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and written as it was: with or without indentation, with its mode, for its owner. */
export function writeLogIn(
  file: string,
  fields: LogInFields,
  before: Pick<LogInFile, 'text' | 'mode' | 'owner'>,
  key?: string,
): void {
  const indent = /\n( +|\t+)"/.exec(before.text)?.[1];
  const text = JSON.stringify(fields, null, indent) + (before.text.endsWith('\n') ? '\n' : '');
  const { uid, gid } = before.owner;
  const data = key === undefined ? Buffer.from(text, 'utf8') : sealed(text, key);
  replaceFile(file, data, {
    mode: before.mode,
    ready: (descriptor) => {
      if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid);
    },
  });
  data.fill(0);
  try {
    // The server takes no older tokens any more: not even a power cut may bring them back.
    syncFolder(dirname(file));
  } catch {
    // Some file systems know no such thing.
  }
}
