import { basename } from 'node:path';
import type { Source } from '../../policy/load/source.ts';
import { checkWrittenValue, isCredentialName } from '../credential.ts';
import { isPrivate, keptBy } from '../env-files.ts';
import { Findings, listed, nameText } from '../finding.ts';
import type { RuleId } from '../rules.ts';
import type { Checker } from './kind.ts';

const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(.*)$/;
const PUBLIC = /@(?:public\b|sensitive[ \t]*=[ \t]*false\b|sensitive\(false\))/;

/** `.env.schema`, `.env.example` and the like: names with defaults, and notes about them in the comments above. */
export const checkEnvList: Checker = ({ path, source, findings, options }) => {
  const kept = keptBy(path, options.places.home);
  // The values of a private file stand where they belong, as long as it is not tracked.
  const told = isPrivate(path) && (kept === 'ignored' || kept === 'open') ? new Findings(source) : findings;
  checkLines(source, told);
  const names = told.list().flatMap((one) => (WRITTEN.includes(one.rule) ? one.names : []));
  if (names.length === 0 || kept === undefined || kept === 'ignored') return;
  const what = kept === 'tracked' ? 'is tracked' : 'is not ignored';
  const rule = kept === 'tracked' ? 'env-file-tracked' : 'env-file-not-ignored';
  const message = `${nameText(basename(path))} ${what}, and has ${listed(names)}`;
  findings.add(rule, { path: '' }, { message, names });
};

const WRITTEN: readonly RuleId[] = ['literal-credential', 'secret-in-plain-text'];

function checkLines(source: Source, findings: Findings): void {
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
}

function writtenIn(rest: string): string {
  const quoted = /^(["'`])(.*?)\1/.exec(rest);
  return quoted?.[2] ?? rest.replace(/(?:^|\s)#.*$/, '').trim();
}
