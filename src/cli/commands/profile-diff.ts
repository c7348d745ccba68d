import { type Decision, decide } from '../../decide/decide.ts';
import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { profileLines } from '../../policy/profile/lines.ts';
import { type ResolvedProfile, resolveProfiles } from '../../policy/profile/resolve.ts';
import { type Context, print } from '../context.ts';
import { hasFlag, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { table } from '../ui/table.ts';
import type { ProfileArguments } from './profile.ts';

interface Side {
  readonly verdict: string;
  readonly rule: string;
  readonly origin: string;
}

interface VerdictChange {
  readonly name: string;
  readonly from: Side;
  readonly to: Side;
}

const NOT_SET: Side = { verdict: 'not there', rule: '', origin: '' };

/** What another profile changes for the variables that are set now, and in the settings beside them. Never a value. */
export async function diff({ parsed, words }: ProfileArguments, context: Context): Promise<number> {
  const [a, b, ...others] = words;
  if (a === undefined || b === undefined || others.length > 0)
    throw usageError('profile diff needs two profiles', 'cordon profile diff A B');
  const places = profilePlaces(context);
  const [from, to] = [await resolveProfiles([a], places), await resolveProfiles([b], places)];
  const everything = hasFlag(parsed, '--all');
  const variables = compareVariables(from, to, context).filter((change) => everything || isChange(change));
  const settings = compareSettings(from, to).filter((change) => everything || isChange(change));
  return print(parsed, context, { from: a, to: b, variables, settings }, () =>
    asText({ a, b, variables, settings }, context),
  );
}

const isChange = ({ from, to }: VerdictChange) => from.verdict !== to.verdict;

function compareVariables(from: ResolvedProfile, to: ResolvedProfile, { env }: Context): VerdictChange[] {
  const [before, after] = [from, to].map(
    (one) => new Map(decide(policyOf(one), env).map((decision) => [decision.name, decision])),
  );
  const names = [...new Set<Bytes>([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].toSorted();
  return names.map((name) => ({ name: showBytes(name), from: side(before?.get(name)), to: side(after?.get(name)) }));
}

function side(decision: Decision | undefined): Side {
  if (decision === undefined) return NOT_SET;
  return { verdict: decision.verdict, rule: decision.rule, origin: decision.origin };
}

const SETTINGS = /^(?:filesystem\.|network\.|isolation$|redact$|environment\.guard$)/;

/** A key that may stand on several lines is compared as a whole. */
function compareSettings(from: ResolvedProfile, to: ResolvedProfile): VerdictChange[] {
  const [before, after] = [settingsOf(from), settingsOf(to)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.map((name) => ({ name, from: before.get(name) ?? NOT_SET, to: after.get(name) ?? NOT_SET }));
}

function settingsOf(resolved: ResolvedProfile): Map<string, Side> {
  const settings = new Map<string, Side>();
  for (const { key, value, origin } of profileLines(resolved).filter((line) => SETTINGS.test(line.key))) {
    const before = settings.get(key);
    settings.set(key, {
      verdict: before === undefined ? value : `${before.verdict}, ${value}`,
      rule: key,
      origin: before?.origin ?? origin,
    });
  }
  return settings;
}

interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly variables: readonly VerdictChange[];
  readonly settings: readonly VerdictChange[];
}

function asText({ a, b, variables, settings }: Comparison, context: Context): string {
  if (variables.length + settings.length === 0)
    return `${showText(a)} and ${showText(b)} do the same for this environment\n`;
  const rows = [...variables, ...settings];
  const colourOf = ({ to }: VerdictChange) => (to.verdict === 'drop' ? 'red' : 'green');
  return table(
    {
      titles: ['NAME', showText(a), showText(b), 'BECAUSE OF'],
      fold: ['BECAUSE OF'],
      rows: rows.map(({ name, from, to }) => [name, from.verdict, to.verdict, reason(to)].map(showText)),
      style: (row, column) => (column === 2 ? colourOf(rows[row] as VerdictChange) : undefined),
    },
    context,
  );
}

const reason = ({ rule, origin }: Side) => (rule === '' ? '' : `${rule} (${origin})`);
