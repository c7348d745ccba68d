import { type Bytes, showText } from '../../host/bytes.ts';
import { type AuditRecord, readAudit } from '../../launch/audit.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, JSON_FLAG, parseArguments, textValue, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';

const SHOWN = 20;

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [{ name: '--last', value: 'N', help: '' }, JSON_FLAG] });
  if (parsed.words.length > 0) throw usageError('audit takes no words');
  const state = context.folders.state;
  const all = state === undefined ? [] : readAudit(state);
  const json = hasFlag(parsed, '--json');
  const count = wanted(flagValues(parsed, '--last').at(-1), json ? 0 : SHOWN);
  const records = count === 0 ? all : all.slice(-count);
  if (json) context.out(`${JSON.stringify(records, null, 2)}\n`);
  else context.out(records.length === 0 ? 'nothing was launched yet\n' : auditTable(records, context));
  return 0;
}

function wanted(value: Bytes | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  const text = textValue(value, '--last');
  if (!/^\d{1,9}$/.test(text)) throw usageError(`--last needs a whole number, not '${text}'`);
  return Number(text);
}

/** The file is the user's own, but what stands in it came from launches: show it escaped. */
function auditTable(records: readonly AuditRecord[], context: Context): string {
  const paint = painter(context.colour.out);
  return table({
    columns: [
      { title: 'TIME' },
      { title: 'COMMAND', flexible: true },
      { title: 'POLICY' },
      { title: 'PASSED' },
      { title: 'DROPPED' },
      { title: 'ISOLATION' },
      { title: 'EXIT' },
    ],
    rows: records.map((record) =>
      [
        record.time?.replace('T', ' ').slice(0, 19),
        record.command,
        record.policy,
        record.passed?.length,
        record.dropped?.length,
        record.isolation,
        record.exit ?? '-',
      ].map((cell) => showText(String(cell ?? '-'))),
    ),
    width: context.columns,
    paintTitle: (cell) => paint('bold', cell),
  });
}
