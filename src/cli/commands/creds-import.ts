import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { guardName, guardValue } from '../../decide/guard/index.ts';
import { type Bytes, bytesOfText, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { workingFolder } from '../../host/folders.ts';
import { shellWord } from '../../host/shell-word.ts';
import { replaceFile } from '../../host/whole-file.ts';
import { schemeOf } from '../../policy/credential.ts';
import { type EnvLine, readEnvLines } from '../../policy/env-file.ts';
import type { Secret } from '../../secrets/secret.ts';
import { secretOf } from '../../secrets/value.ts';
import { IMPORT_FORMS } from '../command-flags.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { readEnvFile } from '../project-policy.ts';
import { type CredsTools, checked, storing } from './creds-actions.ts';

type Form = (typeof IMPORT_FORMS)[number];

/** Values of a file into the vault, and references in their place if that is wanted. What is a reference already stays one. */
export async function importIntoVault(parsed: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const [word, ...more] = parsed.words;
  if (word === undefined || more.length > 0)
    throw usageError('creds import takes one file', 'for example: cordon creds import .env');
  const file = textValue(word, 'creds import');
  const path = resolve(workingFolder(), file);
  const form = formOf(parsed, file);
  const text = readEnvFile(path, showText(file));
  const found = valuesIn(text, file, form).filter(({ value }) => value !== '' && schemeOf(value) === undefined);
  const wanted = hasFlag(parsed, '--all') ? found : found.filter(isSecret);
  if (wanted.length === 0) {
    context.err(`nothing in ${showText(file)} looks like a credential; --all takes every value\n`);
    return;
  }
  const secrets = wanted.map(({ name, value }) => [name, checked(secretOf(Buffer.from(value, 'utf8')), name)] as const);
  const same = await alreadyKept(secrets, tools, hasFlag(parsed, '--force'));
  const fresh = secrets.filter(([name]) => !same.includes(name));
  for (const [name, secret] of fresh) await storing(name, tools.vault.set(name, secret));
  if (fresh.length > 0) context.err(`stored ${fresh.map(([name]) => name).join(', ')}\n`);
  if (same.length > 0) context.err(`in the vault already, with this value: ${same.join(', ')}\n`);
  const isReplaced = form !== 'doppler-json' && (await wantsReplacing(parsed, file));
  if (isReplaced) {
    replaceValues(path, text, wanted);
    context.err(`${showText(file)} has references now: cordon run --env-file ${showText(shellWord(file))} -- CMD\n`);
  } else context.err(`${showText(file)} still has the values: take them out, or import it again with --replace\n`);
}

/** Names that have this very value. Two projects may have a name in common: neither loses its value without a word. */
async function alreadyKept(
  secrets: readonly (readonly [string, Secret])[],
  tools: CredsTools['tools'],
  force: boolean,
): Promise<string[]> {
  const [same, taken]: [string[], string[]] = [[], []];
  for (const [name, secret] of secrets) {
    const kept = await tools.vault.get(name);
    if (kept !== undefined) (kept.reveal() === secret.reveal() ? same : taken).push(name);
  }
  if (taken.length > 0 && !force)
    throw new CordonError('env-file', `the vault has another value for ${taken.join(', ')}; nothing was stored`, {
      hint: 'rename it in the file, or replace the value in the vault with --force',
    });
  return same;
}

const isSecret = ({ name, value }: EnvLine) =>
  guardName(name as Bytes) !== undefined || guardValue(name as Bytes, bytesOfText(value)) !== undefined;

function formOf(parsed: ParsedArguments, file: string): Form {
  const given = flagValues(parsed, '--as').at(-1) as string | undefined;
  const known = IMPORT_FORMS.find((form) => form === given);
  return known ?? (file.endsWith('.json') ? 'doppler-json' : '.env');
}

function valuesIn(text: string, file: string, form: Form): EnvLine[] {
  if (form !== 'doppler-json') return readEnvLines(text, file, form === 'docker-env' ? 'docker' : 'dotenv');
  return Object.entries(dopplerIn(text, file)).map(([name, entry]) => {
    const value = typeof entry === 'object' && entry !== null ? (entry as { computed?: unknown }).computed : entry;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || typeof value !== 'string') throw noDoppler(file);
    return { name, value, line: 0 };
  });
}

function dopplerIn(text: string, file: string): object {
  try {
    const tree: unknown = JSON.parse(text);
    if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) return tree;
  } catch {
    // No part of it is quoted: it may be a secret.
  }
  throw noDoppler(file);
}

const noDoppler = (file: string) =>
  new CordonError('env-file', 'the file is not JSON with names and values', {
    where: showText(file),
    hint: 'doppler secrets download --no-file --format json',
  });

async function wantsReplacing(parsed: ParsedArguments, file: string): Promise<boolean> {
  if (hasFlag(parsed, '--replace')) return true;
  if (process.stdin.isTTY !== true) return false;
  const { Asker } = await import('../ui/ask.ts');
  const asker = new Asker();
  try {
    return await asker.confirm(`Put references in place of the values in ${showText(file)}?`, false);
  } finally {
    asker.close();
  }
}

/** With the file's own mode. A link is left alone: what it leads to may be shared. */
function replaceValues(path: string, text: string, wanted: readonly EnvLine[]): void {
  const stats = lstatSync(path);
  if (!stats.isFile())
    throw new CordonError('env-file', 'the values are stored; the file is a link and was not changed', {
      where: path,
      hint: 'import the file it leads to with --replace',
    });
  const names = new Map(wanted.map(({ line, name }) => [line, name]));
  const lines = text.split('\n').map((line, i) => {
    const name = names.get(i + 1);
    return name === undefined
      ? line
      : `${line.slice(0, line.indexOf('='))}=vault://${name}${line.endsWith('\r') ? '\r' : ''}`;
  });
  replaceFile(path, lines.join('\n'), { mode: stats.mode & 0o777 });
}
