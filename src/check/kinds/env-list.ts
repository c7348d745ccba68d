import { checkWrittenValue, isCredentialName } from '../credential.ts';
import { nameText } from '../finding.ts';
import type { Checker } from './kind.ts';

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*)$/;
const PUBLIC = /@(?:public\b|sensitive[ \t]*=[ \t]*false\b|sensitive\(false\))/;

/** `.env.schema`, `.env.example` and the like: names with defaults, and notes about them in the comments above. */
export const checkEnvList: Checker = ({ source, findings }) => {
  let notes = '';
  for (const [i, line] of source.text.split(/\r\n|\n|\r/).entries()) {
    const match = LINE.exec(line);
    if (match === null) {
      notes = /^\s*#/.test(line) ? `${notes} ${line}` : '';
      continue;
    }
    const [, name = '', rest = ''] = match;
    const start = source.lineStart(i + 1) + line.indexOf(name);
    const place = { start, end: start + name.length };
    if (PUBLIC.test(`${notes} ${rest}`) && isCredentialName(name))
      findings.add('credential-declared-public', place, { message: `${nameText(name)} is public`, names: [name] });
    checkWrittenValue(findings, { name, value: writtenIn(rest), place });
    notes = '';
  }
};

function writtenIn(rest: string): string {
  const quoted = /^(["'`])(.*?)\1/.exec(rest);
  return quoted?.[2] ?? rest.replace(/(?:^|\s)#.*$/, '').trim();
}
