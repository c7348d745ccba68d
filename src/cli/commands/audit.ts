import { basename } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { type AuditRecord, readAudit } from '../../launch/audit.ts';
import { AUDIT_FLAGS } from '../command-flags.ts';
import { type Context, print } from '../context.ts';
import { lastText, newestOf, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { homePath } from '../ui/places.ts';
import { table } from '../ui/table.ts';

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: AUDIT_FLAGS });
  if (parsed.words.length > 0) throw usageError('audit takes no words');
  const state = context.folders.state;
  const isWanted = filterOf(parsed);
  const all = (state === undefined ? [] : readAudit(state)).filter(isWanted);
  const records = newestOf(all, parsed);
  return print(parsed, context, records, () =>
    records.length === 0 ? emptyText(parsed) : auditTable(records, context),
  );
}

const emptyText = ({ flags }: ParsedArguments) =>
  flags.some(({ name }) => ['--since', '--command', '--user'].includes(name))
    ? 'no launch matches\n'
    : 'nothing was launched\n';

function filterOf(parsed: ParsedArguments): (record: AuditRecord) => boolean {
  const [since, command, user] = ['--since', '--command', '--user'].map((flag) => lastText(parsed, flag));
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

/** The file is the user's own, but what stands in it came from launches: show it escaped. */
function auditTable(records: readonly AuditRecord[], context: Context): string {
  const rows = records.map((record) =>
    [
      record.time?.replace('T', ' ').slice(5, 16),
      basename(record.command ?? '-'),
      record.folder === undefined ? undefined : homePath(record.folder, context),
      record.policy,
      record.isolation === 'filter' ? 'filter' : record.preset,
      record.network,
      tookOf(record.duration_ms),
      record.exit,
    ].map((cell) => showText(String(cell ?? '-'))),
  );
  const titles = ['TIME', 'COMMAND', 'FOLDER', 'POLICY', 'FILES', 'NET', 'TOOK', 'EXIT'];
  return table({ titles, fold: ['COMMAND', 'FOLDER', 'POLICY'], rows }, context);
}

function tookOf(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)}s` : `${Math.round(milliseconds / 60_000)}m`;
}
