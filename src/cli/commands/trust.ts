import { existsSync, realpathSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Decision, decide } from '../../decide/decide.ts';
import { type Bytes, showBytes } from '../../host/bytes.ts';
import { presenceOf } from '../../host/files.ts';
import { workingFolder } from '../../host/folders.ts';
import { envFileRules, readEnvLines } from '../../policy/env-file.ts';
import { EXTENSIONS } from '../../policy/load/load.ts';
import { DEFAULT_POLICY, type Policy } from '../../policy/policy.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { profileLines } from '../../policy/profile/lines.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import { digestOf, readTrusted, writeTrusted } from '../../policy/trusted.ts';
import { TRUST_FLAGS } from '../command-flags.ts';
import { type Context, jsonText } from '../context.ts';
import { hasFlag, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { IS_LINK, isLedByProject, projectProfile, readEnvFile } from '../project-policy.ts';
import { withMarker, withTerminal } from '../start-policy.ts';

/** What someone is asked to trust: what it would change, and the texts that this was read from. */
interface Looked {
  readonly path: string;
  readonly sources: ReadonlyMap<string, string>;
  readonly changes: readonly string[];
}

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: TRUST_FLAGS });
  const [first, ...words] = parsed.words.map((word) => textValue(word, 'trust'));
  const json = hasFlag(parsed, '--json');
  if (first === 'list') return list(json, context);
  if (first === 'rm') return remove(words, context);
  if (words.length > 0) throw usageError('trust takes one file');
  const looked = await look(first, context);
  if (json) context.out(jsonText({ path: looked.path, changes: looked.changes }));
  else
    context.out([`${plainly(looked.path)} would change:`, ...looked.changes.map((line) => `  ${line}`), ''].join('\n'));
  if (!hasFlag(parsed, '--yes') && !(await isConfirmed(json))) return 1;
  const entry = { digest: digestOf(looked.sources), since: new Date().toISOString() };
  writeTrusted(context.folders.config, { ...readTrusted(context.folders.config), [looked.path]: entry });
  context.err(`trusted, as it is now: ${plainly(looked.path)}\n`);
  return 0;
}

async function isConfirmed(json: boolean): Promise<boolean> {
  if (json || process.stdin.isTTY !== true)
    throw usageError(
      'nothing is trusted without an answer, and there is no terminal to ask',
      'look at it, then add --yes',
    );
  const { Asker } = await import('../ui/ask.ts');
  const asker = new Asker();
  try {
    return await asker.confirm('Trust it as it is now?', false);
  } finally {
    asker.close();
  }
}

async function look(given: string | undefined, context: Context): Promise<Looked> {
  const path = given === undefined ? projectProfile(context) : resolve(workingFolder(), given);
  if (path === undefined)
    throw usageError(
      'there is no .cordon/profile.json (or .toml, .yaml) in this project',
      'name the file: cordon trust FILE',
    );
  const presence = presenceOf(path);
  if (presence === 'forbidden') throw usageError(`${plainly(path)} may not be read`, 'check its owner and mode');
  if (presence === 'absent') throw usageError(`${plainly(path)} is not there`, 'check the path');
  if (isLedByProject(path) || (given === undefined && realpathSync(path) !== path))
    throw usageError(`${plainly(path)} cannot be trusted: ${IS_LINK}`, 'put the file itself there');
  return EXTENSIONS.includes(extname(path).toLowerCase()) ? lookAtProfile(path, context) : lookAtEnvFile(path);
}

async function lookAtProfile(path: string, context: Context): Promise<Looked> {
  const resolved = await resolveProfiles([path], profilePlaces(context));
  const changes = [
    ...profileLines(resolved)
      .filter(({ origin }) => origin !== 'default')
      .map(({ key, value, origin }) => plainly(`${key}: ${value}  (${origin})`)),
    ...changedVariables(policyOf(resolved), context),
  ];
  return { path: realpathSync(path), sources: resolved.sources, changes };
}

/** Of what is set now, variable by variable: against what a plain run would give. */
function changedVariables(policy: Policy, { env }: Context): string[] {
  const before = new Map(decide(withTerminal(DEFAULT_POLICY), env).map((one): [Bytes, Decision] => [one.name, one]));
  return decide(withMarker(policy), env)
    .filter(({ name, verdict }) => (before.get(name)?.verdict ?? 'drop') !== verdict)
    .map(({ name, verdict, rule }) =>
      plainly(`${showBytes(name)}: ${before.get(name)?.verdict ?? 'not there'} → ${verdict}  (${rule})`),
    );
}

function lookAtEnvFile(path: string): Looked {
  const text = readEnvFile(path, path);
  const { set, credentials } = envFileRules(readEnvLines(text, path), path);
  const changes = [
    ...set.map(({ name }) => plainly(`${showBytes(name)} is set to a fixed value`)),
    ...credentials.map(({ target, source }) => plainly(`${showBytes(target)} gets the credential ${String(source)}`)),
  ];
  return { path: realpathSync(path), sources: new Map([[realpathSync(path), text]]), changes };
}

function list(json: boolean, context: Context): number {
  const entries = Object.entries(readTrusted(context.folders.config));
  if (json)
    context.out(
      `${JSON.stringify(
        entries.map(([path, entry]) => ({ path, ...entry })),
        null,
        2,
      )}\n`,
    );
  else if (entries.length === 0) context.out('nothing is trusted\n');
  else context.out(entries.map(([path, { since }]) => `${since.slice(0, 10)}  ${plainly(path)}\n`).join(''));
  return 0;
}

function remove([given, ...more]: readonly string[], context: Context): number {
  if (given === undefined || more.length > 0) throw usageError('trust rm takes one file', 'see cordon trust list');
  const path = resolve(workingFolder(), given);
  const { [existsSync(path) ? realpathSync(path) : path]: found, ...others } = readTrusted(context.folders.config);
  if (found === undefined) throw usageError(`${plainly(path)} is not trusted`, 'see cordon trust list');
  writeTrusted(context.folders.config, others);
  context.err(`no longer trusted: ${plainly(path)}\n`);
  return 0;
}

/** Only letters that everyone can tell apart: escape sequences, invisible signs and look-alikes are written as numbers. */
const plainly = (text: string) =>
  text.replace(/[^\x20-\x7e→]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
