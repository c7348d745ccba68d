import { withoutSecret } from '../../decide/shown-line.ts';
import { showText } from '../../host/bytes.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { type ProfileLine, profileLines } from '../../policy/profile/lines.ts';
import { type ResolvedProfile, resolveProfiles } from '../../policy/profile/resolve.ts';
import { type Context, showWarnings } from '../context.ts';
import { hasFlag, usageError } from '../flags.ts';
import { profilePlaces, withWildcardWarnings } from '../profiles.ts';
import { painter } from '../ui/colour.ts';
import { homePath } from '../ui/home-path.ts';
import { table } from '../ui/table.ts';
import type { ProfileSubcommand } from './profile.ts';

export const run: ProfileSubcommand['run'] = async ({ parsed, words }, context) => {
  if (words.length === 0) throw usageError('profile show needs a profile', 'cordon profile list shows their names');
  const resolved = await resolveProfiles(words, profilePlaces(context));
  const { warnings } = withWildcardWarnings(policyOf(resolved), context);
  const lines = profileLines(resolved).map(withoutSecret);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(asJson(resolved, lines, warnings), null, 2)}\n`);
  else {
    showWarnings(warnings, context);
    context.out(asText(resolved, lines, context));
  }
  return 0;
};

function asJson(
  { name, where, description, chain }: ResolvedProfile,
  lines: readonly ProfileLine[],
  warnings: readonly string[],
): object {
  const allow = lines.filter(({ key }) => key === 'environment.allow_vars').map(({ value }) => value);
  return { name, where, description: description ?? null, chain, allow, lines, warnings };
}

function asText(
  { name, where, description, chain }: ResolvedProfile,
  lines: readonly ProfileLine[],
  context: Context,
): string {
  const paint = painter(context.colour.out);
  const head = [
    `${paint('bold', showText(name))}  ${homePath(where, context)}`,
    ...(description === undefined ? [] : [showText(description)]),
    ...(chain.length > 1 ? [`made of ${showText(chain.join(', '))}, in this order`] : []),
  ];
  const body = table({
    columns: [
      { title: 'KEY', flexible: true },
      { title: 'SAYS', flexible: true },
      { title: 'WRITTEN IN', flexible: true },
    ],
    rows: lines.map(({ key, value, origin }) => [key, showText(value), homePath(origin, context)]),
    width: context.columns,
    paint: (cell, _row, column) => (column === 2 ? paint('dim', cell) : cell),
    paintTitle: (cell) => paint('bold', cell),
  });
  return `${head.join('\n')}\n\n${body}`;
}
