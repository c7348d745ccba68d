import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { type Found, namedProfiles, type ProfilePlaces } from '../../policy/profile/find.ts';
import { resolveFound, whereOf } from '../../policy/profile/resolve.ts';
import { hasFlag, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { painter } from '../ui/colour.ts';
import { homePath } from '../ui/home-path.ts';
import { table } from '../ui/table.ts';
import type { ProfileSubcommand } from './profile.ts';

interface ListedProfile {
  readonly name: string;
  readonly where: string;
  readonly description: string;
  readonly error?: string;
}

export const run: ProfileSubcommand['run'] = async ({ parsed, words }, context) => {
  if (words.length > 0) throw usageError('profile list takes no words', 'cordon profile show NAME shows one');
  const places = profilePlaces(context);
  const profiles = await Promise.all(namedProfiles(places).map((found) => describe(found, places)));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(profiles, null, 2)}\n`);
  else {
    const paint = painter(context.colour.out);
    const columns = [{ title: 'NAME' }, { title: 'WHERE', flexible: true }, { title: 'WHAT FOR', flexible: true }];
    const rows = profiles.map(({ name, where, description, error }) => [
      showText(name),
      homePath(where, context),
      showText(error ?? description),
    ]);
    const colourOf = (row: number, column: number) =>
      profiles[row]?.error !== undefined && column === 2 ? 'red' : 'cyan';
    const paintCell = (cell: string, row: number, column: number) =>
      column === 1 ? cell : paint(colourOf(row, column), cell);
    context.out(
      table({ columns, rows, width: context.columns, paintTitle: (cell) => paint('bold', cell), paint: paintCell }),
    );
  }
  return 0;
};

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
