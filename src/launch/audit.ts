import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision, Verdict } from '../decide/decide.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import type { Records } from '../plan/plan.ts';
import type { Policy } from '../policy/policy.ts';

const AUDIT_FILE = 'audit.jsonl';

export const auditFile = (stateFolder: string) => join(stateFolder, AUDIT_FILE);

/** What everything that is recorded about one launch is called by. Later ones are greater, as long as their numbers have one length. */
export const newLaunchId = () =>
  `${BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)}-${process.pid}`;

/** When it was started, in milliseconds: its name begins with the nanoseconds. */
export const startOf = (launch: string) => Number(BigInt(launch.split('-', 1)[0] as string) / 1_000_000n);

interface AuditFacts {
  readonly policy: Policy;
  readonly decisions: readonly Decision[];
  readonly path: Bytes;
  /** Arguments may hold what a user typed as a secret, so only their number is kept. */
  readonly argumentCount: number;
}

/** The first fields of the record, an unclosed JSON object: the launcher adds what it alone knows, id, time, isolation reached and exit. */
export function auditHead({ policy, decisions, path, argumentCount }: AuditFacts): string {
  const names = (verdict: Verdict) =>
    decisions.filter((decision) => decision.verdict === verdict).map(({ name }) => showBytes(name));
  const brokered = [
    ...policy.credentials.filter(({ broker }) => broker !== undefined).map(({ target }) => showBytes(target)),
    ...(policy.ssh ?? []).map(({ key }) => `ssh:${key}`),
    ...(policy.logIns ?? []).map(({ agent }) => `log-in:${agent}`),
  ];
  const record = {
    command: showBytes(path),
    arguments: argumentCount,
    policy: policy.origin,
    passed: names('pass'),
    set: names('set'),
    credentials: names('credential'),
    ...(brokered.length === 0 ? {} : { brokered }),
    dropped: decisions
      .filter(({ verdict }) => verdict === 'drop')
      .map(({ name, rule }) => ({ name: showBytes(name), rule })),
    asked: policy.isolation,
    ...surroundingsOf(policy),
  };
  return JSON.stringify(record).slice(0, -1);
}

/** What stands around the command, as the policy has it. */
export const surroundingsOf = ({ filesystem, network }: Pick<Policy, 'filesystem' | 'network'>) => ({
  preset: filesystem.preset,
  network: network.mode,
});

/** For the executor in Node; the native launcher writes its own lines. A full disk never stops a launch. */
export function appendAudit(records: Records | undefined, outcome: object): void {
  if (records?.audit === undefined) return;
  const rest = { time: new Date().toISOString(), id: records.launch, ...outcome };
  try {
    appendFileSync(records.audit.file, `${records.audit.head},${JSON.stringify(rest).slice(1)}\n`, { mode: 0o600 });
  } catch {
    // Said by `cordon doctor`; the command has already run.
  }
}

export interface AuditRecord {
  readonly time: string;
  readonly id: string;
  readonly command: string;
  readonly arguments: number;
  readonly policy: string;
  readonly passed: readonly string[];
  readonly set?: readonly string[];
  readonly credentials?: readonly string[];
  /** Those of which the command has only a placeholder. */
  readonly brokered?: readonly string[];
  readonly dropped: readonly { readonly name: string; readonly rule: string }[];
  readonly isolation: string;
  readonly exit: number | null;
  /** Records of older versions lack these. */
  readonly folder?: string;
  readonly preset?: string;
  readonly network?: string;
  readonly duration_ms?: number;
  readonly user?: string;
}

/** All records, oldest first, the rotated file included. A line that was cut short by a full disk is left out. */
export function readAudit(stateFolder: string): AuditRecord[] {
  const path = auditFile(stateFolder);
  return [`${path}.1`, path].flatMap((file) => readLines(file)).flatMap((line) => parseRecord(line));
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** What was cut short may stand before a whole one, which begins as no text within a record can. */
function parseRecord(line: string): AuditRecord[] {
  for (const part of [line, line.slice(Math.max(0, line.lastIndexOf('{"command":')))]) {
    try {
      return [JSON.parse(part) as AuditRecord];
    } catch {
      // The next, or none.
    }
  }
  return [];
}
