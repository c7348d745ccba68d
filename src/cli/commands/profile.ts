import { withoutSecret } from '../../decide/shown-line.ts';
import { type Bytes, showText } from '../../host/bytes.ts';
import { CordonError, EXIT } from '../../host/errors.ts';
import { type Found, namedProfiles, type ProfilePlaces } from '../../policy/profile/find.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { type ProfileLine, profileLines } from '../../policy/profile/lines.ts';
import { type ResolvedProfile, resolveFound, resolveProfiles, whereOf } from '../../policy/profile/resolve.ts';
import { unresolvedCredentials } from '../../secrets/resolve.ts';
import { PROFILE_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import { type Context, jsonText, print, showWarnings } from '../context.ts';
import { chosen, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces, withWildcardWarnings } from '../profiles.ts';
import { painter } from '../ui/colour.ts';
import { hanging } from '../ui/definitions.ts';
import { homePath } from '../ui/places.ts';
import { errorText } from '../ui/show-error.ts';
import { table } from '../ui/table.ts';

export interface ProfileArguments {
  readonly parsed: ParsedArguments;
  /** What follows the name of the subcommand. */
  readonly words: readonly string[];
}

type Subcommand = (args: ProfileArguments, context: Context) => Promise<number> | number;

const init: Subcommand = async (...all) => (await import('./profile-init.ts')).init(...all);
const diff: Subcommand = async (...all) => (await import('./profile-diff.ts')).diff(...all);
const schema: Subcommand = async (_, context) => {
  context.out(jsonText((await import('../../policy/profile/schema.ts')).profileJsonSchema()));
  return 0;
};

export const run: CommandModule['run'] = async (args: readonly Bytes[], context) => {
  const parsed = parseArguments(args, { flags: PROFILE_FLAGS });
  const [name, ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  const subcommand = chosen('cordon profile', name, { list, show, validate, init, diff, schema });
  return subcommand({ parsed, words: words.map((word) => textValue(word, 'a profile')) }, context);
};

interface ListedProfile {
  readonly name: string;
  readonly where: string;
  readonly description: string;
  readonly error?: string;
}

const list: Subcommand = async ({ parsed, words }, context) => {
  if (words.length > 0) throw usageError('profile list takes no words', 'cordon profile show NAME shows one');
  const places = profilePlaces(context);
  const profiles = await Promise.all(namedProfiles(places).map((found) => describe(found, places)));
  return print(parsed, context, profiles, () => profileTable(profiles, context));
};

function profileTable(profiles: readonly ListedProfile[], context: Context): string {
  const rows = profiles.map(({ name, where, description, error }) => [
    ...[showText(name), homePath(where, context), showText(error ?? description)],
  ]);
  const colourOf = (row: number, column: number) =>
    profiles[row]?.error !== undefined && column === 2 ? 'red' : 'cyan';
  const style = (row: number, column: number) => (column === 1 ? undefined : colourOf(row, column));
  return table({ titles: ['NAME', 'WHERE', 'WHAT FOR'], fold: ['WHERE', 'WHAT FOR'], rows, style }, context);
}

/** One broken profile must not hide the others. */
async function describe(found: Found, places: ProfilePlaces): Promise<ListedProfile> {
  const base = { name: found.name, where: whereOf(found) };
  try {
    const { description } = await resolveFound(found, places);
    return { ...base, description: description ?? '' };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return { ...base, description: '', error: `invalid: ${error.message}` };
  }
}

const show: Subcommand = async ({ parsed, words }, context) => {
  if (words.length === 0) throw usageError('profile show needs a profile', 'cordon profile list shows their names');
  const resolved = await resolveProfiles(words, profilePlaces(context));
  const { warnings } = withWildcardWarnings(policyOf(resolved), context);
  const lines = profileLines(resolved).map(withoutSecret);
  if (!hasFlag(parsed, '--json')) showWarnings(warnings, context);
  return print(parsed, context, showAsJson(resolved, lines, warnings), () => showAsText(resolved, lines, context));
};

function showAsJson(
  { name, where, description, chain }: ResolvedProfile,
  lines: readonly ProfileLine[],
  warnings: readonly string[],
): object {
  const allow = lines.filter(({ key }) => key === 'environment.allow_vars').map(({ value }) => value);
  return { name, where, description: description ?? null, chain, allow, lines, warnings };
}

function showAsText(
  { name, where, description, chain }: ResolvedProfile,
  lines: readonly ProfileLine[],
  context: Context,
): string {
  const paint = painter(context.colour.out);
  const head = [
    `${paint('bold', showText(name))}  ${homePath(where, context)}`,
    ...(description === undefined ? [] : [hanging(showText(description), context.columns)]),
    ...(chain.length > 1 ? [`made of ${showText(chain.join(', '))}, in this order`] : []),
  ];
  const titles = ['KEY', 'SAYS', 'WRITTEN IN'];
  const rows = lines.map(({ key, value, origin }) => [key, showText(value), homePath(origin, context)]);
  const body = table({ titles, fold: titles, rows, style: (_, column) => (column === 2 ? 'dim' : undefined) }, context);
  return `${head.join('\n')}\n\n${body}`;
}

interface Validation {
  readonly profile: string;
  readonly errors: readonly CordonError[];
  readonly warnings: readonly string[];
}

/** All findings of all files, then one exit code. */
const validate: Subcommand = async ({ parsed, words }, context) => {
  if (words.length === 0) throw usageError('profile validate needs a file', 'cordon profile validate FILE…');
  const outcomes = await Promise.all(words.map((word) => validated(word, context)));
  if (hasFlag(parsed, '--json')) context.out(jsonText(outcomes.map(validateAsJson)));
  else for (const outcome of outcomes) tell(outcome, context);
  return outcomes.every(({ errors }) => errors.length === 0) ? 0 : EXIT.failure;
};

async function validated(profile: string, context: Context): Promise<Validation> {
  try {
    const policy = policyOf(await resolveProfiles([profile], profilePlaces(context)));
    unresolvedCredentials(policy.credentials);
    return { profile, errors: [], warnings: withWildcardWarnings(policy, context).warnings };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return { profile, errors: [error, ...error.related], warnings: [] };
  }
}

function tell({ profile, errors, warnings }: Validation, context: Context): void {
  showWarnings(warnings, context);
  for (const error of errors) context.err(errorText(error, painter(context.colour.err)));
  if (errors.length === 0) context.out(`${painter(context.colour.out)('green', 'ok')}  ${profile}\n`);
}

function validateAsJson({ profile, errors, warnings }: Validation): object {
  const findings = errors.map(({ where, message, hint }) => ({ where, message, hint }));
  return { profile, ok: errors.length === 0, findings, warnings };
}
