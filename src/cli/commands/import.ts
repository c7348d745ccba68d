import { resolve } from 'node:path';
import { decide } from '../../decide/decide.ts';
import { mustBeAccepted, type Row, refusedRows } from '../../exchange/fate.ts';
import { findPolicies, nameOf } from '../../exchange/find.ts';
import { FORMATS, type ImportFormat } from '../../exchange/from/importer.ts';
import { type Imported, importFile } from '../../exchange/import.ts';
import { profileText } from '../../exchange/profile-text.ts';
import { showBytes, showText } from '../../host/bytes.ts';
import { CordonError, EXIT } from '../../host/errors.ts';
import { homesOf, workingFolder } from '../../host/folders.ts';
import type { Policy } from '../../policy/policy.ts';
import { loadPolicy } from '../../policy/profile/load-policy.ts';
import type { ProfileData } from '../../policy/profile/schema.ts';
import { IMPORT_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import { type Context, jsonText } from '../context.ts';
import { toolsOf } from '../credential-tools.ts';
import {
  flagValues,
  hasFlag,
  lastText,
  type ParsedArguments,
  parseArguments,
  textValue,
  usageError,
} from '../flags.ts';
import { existingProfile, profilePlaces, writeProfile } from '../profiles.ts';
import { painter } from '../ui/colour.ts';
import { acceptHint, exchangeTable } from '../ui/exchange-table.ts';

interface Plan {
  readonly name: string;
  readonly imported: Imported;
  readonly refused: readonly Row[];
  readonly text: string;
  readonly changes: readonly WrittenProfile[];
}

/** A variable that is set now, and what the profile does with it. Never a value. */
interface WrittenProfile {
  readonly name: string;
  readonly verdict: string;
  readonly rule: string;
}

/** Takes other tools' policies over: all of what was asked for, or nothing of it. */
export const run: CommandModule['run'] = async (args, context) => {
  const parsed = parseArguments(args, { flags: IMPORT_FLAGS });
  const plans = await plansFor(parsed, context);
  const refused = plans.filter((plan) => plan.refused.length > 0);
  const writes = refused.length === 0 && !hasFlag(parsed, '--dry-run');
  if (writes) for (const { name } of plans) refuseExisting(name, parsed, context);
  const stored = writes ? await storeSecrets(plans, hasFlag(parsed, '--vault'), context) : NOTHING_STORED;
  const paths = writes ? plans.map(({ name, text }) => writeProfile(configOf(context), name, text)) : [];
  if (hasFlag(parsed, '--json')) context.out(jsonText(asJson(plans, paths, stored.fresh)));
  else show(plans, { paths, stored, dryRun: hasFlag(parsed, '--dry-run') }, context);
  return refused.length === 0 ? 0 : EXIT.findings;
};

async function plansFor(parsed: ParsedArguments, context: Context): Promise<Plan[]> {
  const { home, passwdHome } = homesOf(context.env);
  const words = parsed.words.map((word) => textValue(word, 'FILE'));
  const found =
    words.length > 0
      ? words.map((path) => ({ path, name: nameOf(resolve(path)) }))
      : findPolicies(home ?? passwdHome, workingFolder());
  const [name, format, only] = ['--name', '--as', '--only'].map((flag) => lastText(parsed, flag));
  if (found.length === 0)
    throw new CordonError('import', "no other tool's policy was found here", {
      hint: `give a FILE of one of: ${FORMATS.join(', ')}`,
    });
  if (name !== undefined && (found.length > 1 || !/^[A-Za-z0-9][\w-]{0,63}$/.test(name)))
    throw usageError(
      found.length > 1 ? '--name is for one file' : `--name ${showText(name)} is not the name of a profile`,
      'give one FILE and a name of letters, digits, - and _',
    );
  const options = { env: context.env, home: home ?? passwdHome, format: format as ImportFormat | undefined, only };
  const accepted = flagValues(parsed, '--accept').map((value) => textValue(value, '--accept'));
  const plans: Plan[] = [];
  for (const one of found) {
    const imported = await importFile(one.path, options);
    plans.push(await planOf(distinctName(name ?? one.name, plans), imported, accepted, context));
  }
  refuseUnknownAccepts(accepted, plans);
  return plans;
}

function distinctName(name: string, plans: readonly Plan[]): string {
  const taken = (candidate: string) => plans.some((plan) => plan.name === candidate);
  let candidate = name;
  for (let i = 2; taken(candidate); i++) candidate = `${name}-${i}`;
  return candidate;
}

async function planOf(name: string, imported: Imported, accepted: readonly string[], context: Context): Promise<Plan> {
  const refused = refusedRows(imported.rows, accepted);
  const { title, path, profile, rows } = imported;
  const text = profileText({ name, title, path, profile, rows, accepted });
  const { home, workdir, config } = profilePlaces(context);
  const policy = await loadPolicy({
    profile: profile as ProfileData,
    folders: { config: config as string },
    home,
    workdir,
  });
  return { name, imported, refused, text, changes: changesOf(policy, context) };
}

/** A name that nothing waits for is a typing mistake, and the point it meant stays refused. */
function refuseUnknownAccepts(accepted: readonly string[], plans: readonly Plan[]): void {
  const points = plans.flatMap(({ imported }) => imported.rows.filter(mustBeAccepted).map(({ key }) => key));
  const unknown = accepted.find((key) => !points.includes(key));
  if (unknown !== undefined)
    throw usageError(
      `--accept ${showText(unknown)}: no such point has to be accepted`,
      points.length === 0 ? 'leave it out' : `there are: ${points.join(', ')}`,
    );
}

function changesOf(policy: Policy, { env }: Context): WrittenProfile[] {
  return decide(policy, env).map(({ name, verdict, rule }) => ({ name: showBytes(name), verdict, rule }));
}

function configOf({ folders }: Context): string {
  if (folders.config !== undefined) return folders.config;
  throw new CordonError('policy', 'there is no folder for profiles: no home folder is known', {
    hint: 'set CORDON_HOME or HOME',
  });
}

function refuseExisting(name: string, parsed: ParsedArguments, context: Context): void {
  const path = existingProfile(configOf(context), name);
  if (path === undefined || hasFlag(parsed, '--force')) return;
  throw new CordonError('policy', 'there is a profile of that name already', {
    where: path,
    hint: 'choose another --name, or --force to write over it',
  });
}

interface Stored {
  readonly fresh: readonly string[];
  /** The vault had a value of that name, which stays. */
  readonly kept: readonly string[];
  readonly isLooked: boolean;
}

const NOTHING_STORED: Stored = { fresh: [], kept: [], isLooked: false };

/** Nobody is asked for a passphrase only to be told what is there already. */
async function storeSecrets(plans: readonly Plan[], isAsked: boolean, context: Context): Promise<Stored> {
  const { vault } = toolsOf(context);
  const secrets = plans.flatMap(({ imported }) => [...imported.secrets]);
  if (secrets.length === 0 || (!isAsked && vault.keyPlace() === 'passphrase')) return NOTHING_STORED;
  const there = new Set((await vault.list()).map(({ name }) => name));
  const [fresh, kept]: [string[], string[]] = [[], []];
  for (const [name, secret] of secrets) {
    if (there.has(name)) kept.push(name);
    else if (isAsked) {
      await vault.set(name, secret);
      there.add(name);
      fresh.push(name);
    }
  }
  return { fresh, kept, isLooked: true };
}

function asJson(plans: readonly Plan[], paths: readonly string[], stored: readonly string[]): object {
  return {
    imports: plans.map(({ name, imported, refused, changes }, i) => ({
      file: imported.path,
      format: imported.format,
      profile: name,
      written: paths[i] ?? null,
      rows: imported.rows.map(({ key, fate, note, aside = false }) => ({ key, fate, note, aside })),
      refused: refused.map(({ key }) => key),
      credentials: [...imported.secrets.keys()],
      variables: changes,
    })),
    stored,
  };
}

interface ImportOutcome {
  readonly paths: readonly string[];
  readonly stored: Stored;
  readonly dryRun: boolean;
}

function show(plans: readonly Plan[], { paths, stored, dryRun }: ImportOutcome, context: Context): void {
  const paint = painter(context.colour.out);
  for (const [i, { name, imported, changes }] of plans.entries()) {
    context.out(`${paint('bold', `${showText(imported.path)}: ${imported.title}`)}\n`);
    context.out(exchangeTable(imported.rows, context));
    context.out(`\n${countsOf(changes)}\n`);
    const path = paths[i];
    if (path !== undefined) context.out(`wrote ${showText(path)}\n  cordon run --profile ${name} -- CMD\n`);
    else if (dryRun) context.out(`nothing was written (--dry-run); it would be the profile ${name}\n`);
    showVault([...imported.secrets.keys()], stored, path !== undefined, context);
  }
  const refused = plans.flatMap((plan) => plan.refused);
  if (refused.length > 0 && !dryRun) context.err(acceptHint(refused, 'nothing was written', 'the source'));
}

function showVault(names: readonly string[], stored: Stored, isWritten: boolean, { out }: Context): void {
  const fresh = names.filter((one) => stored.fresh.includes(one));
  const kept = names.filter((one) => stored.kept.includes(one));
  const missing = names.filter((one) => !fresh.includes(one) && !kept.includes(one));
  if (fresh.length > 0) out(`stored in the vault: ${fresh.join(', ')}\n`);
  if (kept.length > 0)
    out(`in the vault already, and left as it is: ${kept.join(', ')}\n  cordon creds set NAME replaces one\n`);
  const lack = stored.isLooked ? 'not in the vault yet' : 'has to be in the vault';
  if (isWritten && missing.length > 0)
    out(`${lack}: ${missing.join(', ')}\n  cordon creds set NAME, or import again with --force --vault\n`);
}

/** What of the variables that are set now arrives. */
function countsOf(changes: readonly WrittenProfile[]): string {
  const of = (verdict: string) => changes.filter((change) => change.verdict === verdict).map(({ name }) => name);
  const [passing, dropped, set, credentials] = ['pass', 'drop', 'set', 'credential'].map(of) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const list = (names: readonly string[]) =>
    names.length > 12 ? `${names.slice(0, 12).join(' ')} …` : names.join(' ');
  return [
    `In your shell as it is now: ${passing.length} variables pass, ${dropped.length} do not.`,
    ...(dropped.length === 0 ? [] : [`  not: ${list(dropped)}`]),
    ...(set.length + credentials.length === 0 ? [] : [`  added: ${list([...set, ...credentials])}`]),
  ].join('\n');
}
