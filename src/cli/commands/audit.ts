import { basename } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { type AuditRecord, readAudit } from '../../launch/audit.ts';
import { AUDIT_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { homePath } from '../ui/home-path.ts';
import { table } from '../ui/table.ts';

const SHOWN = 20;

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: AUDIT_FLAGS });
  if (parsed.words.length > 0) throw usageError('audit takes no words');
  const state = context.folders.state;
  const isWanted = filterOf(parsed);
  const all = (state === undefined ? [] : readAudit(state)).filter(isWanted);
  const json = hasFlag(parsed, '--json');
  const count = wanted(flagValues(parsed, '--last').at(-1), json ? 0 : SHOWN);
  const records = count === 0 ? all : all.slice(-count);
  if (json) context.out(`${JSON.stringify(records, null, 2)}\n`);
  else context.out(records.length === 0 ? 'nothing was launched\n' : auditTable(records, context));
  return 0;
}

function filterOf(parsed: ParsedArguments): (record: AuditRecord) => boolean {
  const text = (flag: string) =>
    flagValues(parsed, flag)
      .map((value) => textValue(value, flag))
      .at(-1);
  const [since, command, user] = [text('--since'), text('--command'), text('--user')];
  const from = since === undefined ? undefined : sinceTime(since);
  return (record) =>
    (from === undefined || Date.parse(record.time) >= from) &&
    (command === undefined || record.command === command || basename(record.command ?? '') === command) &&
    (user === undefined || record.user === user);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function sinceTime(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(time))
    throw usageError(`--since does not know '${text}'`, 'write 30m, 12h, 7d, or a date such as 2026-01-31');
  return time;
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
      { title: 'FOLDER', flexible: true },
      { title: 'POLICY', flexible: true },
      { title: 'FILES' },
      { title: 'NET' },
      { title: 'TOOK' },
      { title: 'EXIT' },
    ],
    rows: records.map((record) =>
      [
        record.time?.replace('T', ' ').slice(5, 16),
        basename(record.command ?? '-'),
        record.folder === undefined ? undefined : homePath(record.folder, context),
        record.policy,
        record.isolation === 'filter' ? 'filter' : record.preset,
        record.network,
        tookOf(record.duration_ms),
        record.exit ?? '-',
      ].map((cell) => showText(String(cell ?? '-'))),
    ),
    width: context.columns,
    paintTitle: (cell) => paint('bold', cell),
  });
}

function tookOf(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)}s` : `${Math.round(milliseconds / 60_000)}m`;
}
