import { lstatSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import { shellWord } from '../../host/shell-word.ts';
import { SOURCE_FORMS, schemeOf } from '../../policy/credential.ts';
import { Problems } from '../../policy/load/problems.ts';
import { readTrustedText } from '../../policy/load/read-file.ts';
import { Source } from '../../policy/load/source.ts';
import { readYaml } from '../../policy/load/yaml.ts';
import { parseSource } from '../sources/index.ts';
import { nameText, readSecrets, type SandboxedEntry, sandboxedNameProblem } from './read.ts';

export interface SandboxedVariable {
  readonly name: string;
  readonly text: string;
  /** Whether the text says where the value is, rather than what it is. */
  readonly reference: boolean;
  readonly origin: string;
}

const OTHERS = 0o077n;

/** The variables that one secrets.yaml gives to sandboxes; undefined when there is no such file. Refused whole when anything is wrong with it. */
export function readSecretsFile(path: string): readonly SandboxedVariable[] | undefined {
  if (isAbsent(path)) return undefined;
  try {
    return readPresent(path);
  } catch (error) {
    throw error instanceof CordonError ? withoutFrame(error) : error;
  }
}

function readPresent(path: string): SandboxedVariable[] {
  const { text, file } = readTrustedText(path);
  if (text.trim() === '')
    throw new CordonError('secrets', 'the file is empty', { where: path, hint: 'write sandboxed_envs: {} for none' });
  const problems = new Problems(new Source(path, text));
  const { entries, mainKey } = readSecrets(parse(problems.source), problems);
  const plain = mainKey !== undefined || entries.some((entry) => schemeOf(entry.text) === undefined);
  if (plain) refuseOpen(path, file);
  const variables = entries.map((entry) => variableOf(entry, problems));
  problems.throwIfAny();
  return variables;
}

function parse(source: Source) {
  try {
    return readYaml(source);
  } catch (error) {
    if (!(error instanceof CordonError) || error.code === 'twice') throw error;
    // What a parser says about a broken file may quote it.
    throw new CordonError('secrets', 'this is not valid YAML', {
      where: error.where,
      hint: 'check quotes and indentation; a value with * & ! or { in front needs quotes',
    });
  }
}

function variableOf(entry: SandboxedEntry, problems: Problems): SandboxedVariable {
  const { name, namePlace, text, textPlace } = entry;
  const problem = sandboxedNameProblem(name);
  if (problem !== undefined) problems.add(namePlace, `${nameText(name)} ${problem}`, 'choose another name');
  const wrong = valueProblem(text);
  if (wrong !== undefined) problems.add(textPlace, `the value of ${nameText(name)} ${wrong.what}`, wrong.hint);
  return { name, text, reference: schemeOf(text) !== undefined, origin: problems.where(namePlace) };
}

/** The kernel takes no longer string; a name has its own limit well below the rest. */
const LONGEST_VALUE = 130_000;

function valueProblem(text: string): { what: string; hint: string } | undefined {
  if (text === '') return { what: 'is empty', hint: 'an empty value counts as unavailable; leave the line out' };
  if (text.includes('\0')) return { what: 'has a NUL, which no variable can hold', hint: 'encode it, as base64 say' };
  if (Buffer.byteLength(text) > LONGEST_VALUE)
    return { what: 'is longer than an environment can hold', hint: 'put it into a file of the workspace' };
  const scheme = schemeOf(text);
  if (scheme === undefined || isUnderstood(text)) return undefined;
  return { what: 'looks like a reference and is not one', hint: `expected ${SOURCE_FORMS[scheme]}` };
}

/** What a source says of it is not repeated: the text may be a secret after all. */
function isUnderstood(reference: string): boolean {
  try {
    parseSource({ source: reference, origin: '' });
    return true;
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return false;
  }
}

/** Asked of the file that was read. */
function refuseOpen(path: string, { mode, uid }: { readonly mode: bigint; readonly uid: bigint }): void {
  const us = process.geteuid?.();
  if (us === undefined) return;
  if (uid !== BigInt(us) && uid !== 0n)
    throw new CordonError('secrets', 'the file belongs to another user', {
      where: path,
      hint: `chown ${us} ${shellWord(path)}`,
    });
  if ((mode & OTHERS) === 0n) return;
  throw new CordonError('secrets', `others may read this file: its mode is 0${(mode & 0o777n).toString(8)}`, {
    where: path,
    hint: `chmod 600 ${shellWord(path)}`,
  });
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CordonError('secrets', `the file cannot be looked at (${code})`, {
      where: path,
      hint: 'check its folders',
    });
  }
}

/** A line of this file has no place in a log. */
function withoutFrame({ message, where, hint, related }: CordonError): CordonError {
  return new CordonError('secrets', message, { where, hint, related: related.map(withoutFrame) });
}
