import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { statOf } from '../host/session.ts';

/**
 * Whose a folder or a control group is. A process has a number, which only says something in its own PID namespace, under the same
 * start of the kernel: servers in two containers, or on two machines, may share a folder and both be number 7.
 */
interface Mark {
  readonly pid: string;
  /** Numbers are used again. */
  readonly start: string;
  readonly namespace: string;
  readonly boot: string;
  readonly machine: string;
}

const PARTS = ['pid', 'start', 'namespace', 'boot', 'machine'] as const;
const MARK = /^([1-9][0-9]{0,9})-([0-9]{1,20})-([0-9]{1,20})-([0-9a-f]{12})-([0-9a-f]{12})$/;
const NOWHERE = '0'.repeat(12);
/** The kernel gives this number to the PID namespace that it starts with. */
const FIRST_NAMESPACE = '4026531836';

/** Unknown: it cannot be told from here, so it is to be left alone. Asking: the kernel is the same, who listens there can be asked. */
export type OwnerState = 'running' | 'gone' | 'asking' | 'unknown';

let own: Mark | undefined;

function ownParts(): Mark {
  own ??= {
    pid: String(process.pid),
    start: startOf(String(process.pid)) ?? '0',
    namespace: /\d+/.exec(orNothing(() => readlinkSync('/proc/self/ns/pid')))?.[0] ?? '0',
    boot: digest(orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))),
    machine: machine(),
  };
  return own;
}

/** This process, as leftovers of it are told from those of others. */
export function ownMark(): string {
  const mark = ownParts();
  return PARTS.map((part) => mark[part]).join('-');
}

/** What is known of the process that left this mark. */
export function fateOf(text: string): OwnerState {
  const mark = parse(text);
  const here = ownParts();
  if (mark === undefined || mark.boot === NOWHERE) return 'unknown';
  if (mark.boot !== here.boot) return isEarlierStart(mark, here) ? 'gone' : 'unknown';
  if (mark.namespace !== here.namespace || mark.namespace === '0') return 'asking';
  return startOf(mark.pid) === mark.start ? 'running' : 'gone';
}

/** This machine before it was started anew. In a container neither name says which machine it is. */
function isEarlierStart(mark: Mark, here: Mark): boolean {
  const isOutside = [mark, here].every(({ namespace }) => namespace === FIRST_NAMESPACE);
  return isOutside && mark.machine !== NOWHERE && mark.machine === here.machine;
}

function parse(text: string): Mark | undefined {
  const [, pid, start, namespace, boot, machine] = MARK.exec(text) ?? [];
  return machine === undefined ? undefined : ({ pid, start, namespace, boot, machine } as Mark);
}

/** When it was started; undefined for one that was killed and that nobody has waited for: it does nothing any more. */
function startOf(pid: string): string | undefined {
  const { 0: state, 19: start } = statOf(pid);
  return state === 'Z' || state === 'X' ? undefined : start;
}

function machine(): string {
  const id = orNothing(() => readFileSync('/etc/machine-id', 'latin1')).trim();
  return id === '' ? NOWHERE : digest(`${id} ${hostname()}`);
}

const digest = (text: string) => (text === '' ? NOWHERE : createHash('sha256').update(text).digest('hex').slice(0, 12));

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
