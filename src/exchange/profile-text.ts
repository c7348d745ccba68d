import { showText } from '../host/bytes.ts';
import type { DraftProfile } from './draft.ts';
import type { Row } from './fate.ts';

export interface ProfileTextInput {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly profile: DraftProfile;
  readonly rows: readonly Row[];
  readonly accepted: readonly string[];
}

/** The profile as a file with comments: where it comes from, what became of what, and the rules themselves. */
export function profileText({ name, title, path, profile, rows, accepted }: ProfileTextInput): string {
  const told = rows.filter(({ aside }) => aside !== true);
  const comments = told.map((row) => {
    const mark = accepted.includes(row.key) ? ' (accepted)' : '';
    return `//   ${oneLine(row.key)}: ${row.fate}${mark}${row.note === '' ? '' : ` - ${oneLine(row.note)}`}`;
  });
  const asides = rows.filter(({ aside }) => aside === true).map(({ key }) => oneLine(key));
  return [
    `// ${oneLine(title)}, from ${oneLine(path)}. What became of what it says:`,
    ...comments,
    ...(asides.length === 0 ? [] : [`//   not about what a command may see: ${asides.join(', ')}`]),
    `// Everything that this comes to: cordon profile show ${name}`,
    JSON.stringify(tidy({ meta: { name, description: `From ${title}` }, ...profile }), null, 2),
    '',
  ].join('\n');
}

/** A comment ends with its line, whatever a key has in it. */
const oneLine = (text: string) => showText(text).replace(/[\r\n\u2028\u2029]/g, ' ');

/** Without sections that say nothing; an empty list says something. */
function tidy(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => {
      const isEmptyMap =
        typeof one === 'object' && one !== null && !Array.isArray(one) && Object.keys(one).length === 0;
      return one !== undefined && !isEmptyMap;
    }),
  );
}
