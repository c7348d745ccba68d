import { setTimeout as wait } from 'node:timers/promises';
import { type Bytes, showText } from '../../host/bytes.ts';
import { answer } from '../../network/answer.ts';
import { pendingIn, type Word } from '../../network/pending.ts';
import { NetworkRecords } from '../../network/read-records.ts';
import type { NetworkRecord } from '../../network/records.ts';
import { nearest } from '../../policy/nearest.ts';
import { HOST_SETS, hostsOfSet } from '../../policy/network/sets.ts';
import { NET_FLAGS } from '../command-flags.ts';
import { type Context, print } from '../context.ts';
import {
  chosen,
  hasFlag,
  lastText,
  newestOf,
  type ParsedArguments,
  parseArguments,
  textValue,
  usageError,
} from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { table } from '../ui/table.ts';

const ACTIONS: Readonly<
  Record<string, (words: readonly string[], parsed: ParsedArguments, context: Context) => number | Promise<number>>
> = {
  log: showLog,
  pending: showPending,
  allow: (words, parsed, context) => decide(words, hasFlag(parsed, '--launch') ? 'launch' : 'once', parsed, context),
  deny: (words, parsed, context) => decide(words, 'no', parsed, context),
  sets: showSets,
};

export function run(args: readonly Bytes[], context: Context): number | Promise<number> {
  const parsed = parseArguments(args, { flags: NET_FLAGS });
  const [action, ...words] = parsed.words;
  const act = chosen('cordon net', action, ACTIONS);
  return act(
    words.map((word) => textValue(word, 'net')),
    parsed,
    context,
  );
}

/* ── what was reached, and what was not ── */

async function showLog(words: readonly string[], parsed: ParsedArguments, context: Context): Promise<number> {
  if (words.length > 0) throw usageError('net log takes no words');
  const { state } = context.folders;
  const json = hasFlag(parsed, '--json');
  const kept = state === undefined ? undefined : new NetworkRecords(state);
  const all: NetworkRecord[] = [];
  kept?.refresh((record) => all.push(record));
  const records = newestOf(all, parsed);
  if (!hasFlag(parsed, '--follow')) return print(parsed, context, records, () => logTable(records, context));
  for (const record of records) context.out(lineOf(record, json));
  if (kept !== undefined) await follow(kept, (record) => context.out(lineOf(record, json)));
  return 0;
}

const lineOf = (record: NetworkRecord, json: boolean) =>
  json
    ? `${JSON.stringify(record)}\n`
    : `${cellsOf(record)
        .filter((cell) => cell !== '-')
        .join('  ')}\n`;

function cellsOf({ time, name, port, verdict, rule, why, sent, received, credentials = [] }: NetworkRecord): string[] {
  const bytes = sent === undefined ? '-' : `${sent}/${received}`;
  const held = credentials.length === 0 ? [] : [`with ${credentials.join(', ')}`];
  const reason = [why ?? rule ?? [], held].flat().join(', ');
  const cells = [
    time.replace('T', ' ').slice(0, 19),
    port === undefined ? name : `${name}:${port}`,
    verdict,
    bytes,
    reason === '' ? '-' : reason,
  ];
  return cells.map((cell) => showText(cell));
}

/** What was asked for came from commands: it is shown escaped. */
function logTable(records: readonly NetworkRecord[], context: Context): string {
  if (records.length === 0) return 'no connection was asked for yet\n';
  const rows = records.map((record) => [cellsOf(record)[0]?.slice(5) ?? '-', ...cellsOf(record).slice(1)]);
  const titles = ['TIME', 'HOST', 'VERDICT', 'OUT/IN', 'RULE OR REASON'];
  return table({ titles, fold: ['HOST', 'RULE OR REASON'], rows }, context);
}

const LOOKS_EVERY_MS = 300;

/** Until it is interrupted. */
async function follow(records: NetworkRecords, show: (record: NetworkRecord) => void): Promise<never> {
  for (;;) {
    await wait(LOOKS_EVERY_MS);
    records.follow(show);
  }
}

/* ── what waits for a word ── */

function showPending(words: readonly string[], parsed: ParsedArguments, context: Context): number {
  if (words.length > 0) throw usageError('net pending takes no words', '`cordon net allow ID` answers');
  const { state } = context.folders;
  const pending = state === undefined ? [] : pendingIn(state);
  return print(parsed, context, pending, () =>
    pending.length === 0 ? 'nothing waits\n' : pendingTable(pending, context),
  );
}

function pendingTable(pending: ReturnType<typeof pendingIn>, context: Context): string {
  const rows = pending.map(({ id, name, port, subject, time }) =>
    [id, `${name}:${port}`, subject, time.slice(11, 19)].map((cell) => showText(cell)),
  );
  return table({ titles: ['ID', 'HOST', 'COMMAND', 'SINCE'], fold: ['HOST', 'COMMAND'], rows }, context);
}

function decide(words: readonly string[], word: Word, parsed: ParsedArguments, context: Context): number {
  if (words.length === 0)
    throw usageError(`net ${word === 'no' ? 'deny' : 'allow'} needs an id`, '`cordon net pending` shows them');
  const profile = lastText(parsed, '--profile');
  const decided = answer(context.folders.state, { ids: words, word, profile }, profilePlaces(context));
  for (const { name, port } of decided) context.out(`${showText(name)}:${port} ${SAID[word]}\n`);
  return 0;
}

const SAID: Readonly<Record<Word, string>> = {
  once: 'is let through this time',
  launch: 'is let through for this launch',
  no: 'stays refused',
};

/* ── sets ── */

function showSets(words: readonly string[], parsed: ParsedArguments, context: Context): number {
  const wanted = words.length === 0 ? Object.keys(HOST_SETS) : words.map(setNamed);
  const sets = wanted.map((name) => {
    const { about, source } = HOST_SETS[name] as (typeof HOST_SETS)[string];
    return { set: `@${name}`, about, hosts: hostsOfSet(name) ?? [], source };
  });
  return print(parsed, context, sets, () =>
    sets.map(({ set, about, hosts, source }) => `${set}  ${about}\n  ${hosts.join(' ')}\n  ${source}\n`).join('\n'),
  );
}

function setNamed(word: string): string {
  const name = word.replace(/^@/, '');
  if (Object.hasOwn(HOST_SETS, name)) return name;
  const near = nearest(name, Object.keys(HOST_SETS));
  throw usageError(
    `there is no set '${word}'`,
    near === undefined ? '`cordon net sets` shows all' : `did you mean @${near}?`,
  );
}
