import { exportPolicy } from '../../exchange/export.ts';
import { refusedRows } from '../../exchange/fate.ts';
import type { Target } from '../../exchange/to/exporter.ts';
import { HOME, WORKDIR } from '../../exchange/to/view.ts';
import { EXIT } from '../../host/errors.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import { type CommandModule, EXPORT_FLAGS } from '../commands.ts';
import { flagValues, hasFlag, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { acceptHint, exchangeTable } from '../ui/exchange-table.ts';

/** A profile in another tool's words: the file on stdout, what became of what on stderr. */
export const run: CommandModule['run'] = async (args, context) => {
  const parsed = parseArguments(args, { flags: EXPORT_FLAGS });
  const [profile, ...more] = parsed.words.map((word) => textValue(word, 'PROFILE'));
  const target = flagValues(parsed, '--as').at(-1) as Target | undefined;
  if (profile === undefined || more.length > 0 || target === undefined)
    throw usageError('export needs a format and one profile', 'cordon export --as FORMAT PROFILE');
  const { home, ...places } = profilePlaces(context);
  const resolved = await resolveProfiles([profile], { ...places, home: HOME, runIn: WORKDIR, xdg: {} });
  const { text, rows } = exportPolicy(target, resolved.name, policyOf(resolved), home);
  const refused = refusedRows(
    rows,
    flagValues(parsed, '--accept').map((value) => textValue(value, '--accept')),
  );
  if (hasFlag(parsed, '--json')) {
    const shown = refused.length === 0 ? text : null;
    context.out(
      `${JSON.stringify({ profile, as: target, rows, refused: refused.map(({ key }) => key), text: shown }, null, 2)}\n`,
    );
  } else {
    context.err(exchangeTable(rows, context));
    if (refused.length === 0) context.out(text);
    else context.err(acceptHint(refused, 'nothing was exported', 'the profile'));
  }
  return refused.length === 0 ? 0 : EXIT.findings;
};
