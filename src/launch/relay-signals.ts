import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { nativeLauncher } from './native.ts';

const RELAYED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'] as const;

/** Where this process stays as the parent, what is sent to it is meant for the child. SIGUSR1 would otherwise open Node's inspector. */
export function relaySignals(child: ChildProcess): () => void {
  const relays = RELAYED.map((signal) => [signal, () => deliver(child, signal)] as const);
  for (const [signal, relay] of relays) process.on(signal, relay);
  return () => {
    for (const [signal, relay] of relays) process.off(signal, relay);
  };
}

interface Delivery {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly end: () => void;
}

const deliveries = new WeakMap<ChildProcess, Delivery>();

/** What stands between us and the command does not pass signals on as it should: they go another way. */
export function deliverBy(child: ChildProcess, delivery: Delivery): void {
  deliveries.set(child, delivery);
}

/** The native launcher passes signals on itself; without it the command is looked for behind bubblewrap. */
export function deliver(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  const delivery = deliveries.get(child);
  if (delivery !== undefined) {
    delivery.signal(signal);
    return;
  }
  const target = nativeLauncher() === undefined ? innermost(child.pid) : child.pid;
  try {
    process.kill(target, signal);
  } catch {
    // It has just ended.
  }
}

/** bubblewrap → its init → the command; outside a barrier the child itself. */
function innermost(pid: number): number {
  const init = onlyChild(pid);
  return (init === undefined || !isBubblewrap(pid) ? undefined : onlyChild(init)) ?? pid;
}

function isLauncher(pid: number): boolean {
  return read(`/proc/${pid}/comm`) === 'cordon-launch\n';
}

function isBubblewrap(pid: number): boolean {
  return read(`/proc/${pid}/comm`) === 'bwrap\n';
}

function onlyChild(pid: number): number | undefined {
  const first = read(`/proc/${pid}/task/${pid}/children`).split(' ')[0];
  return first === undefined || first === '' ? undefined : Number(first);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Ends the command at once, and with a sandbox all that runs inside; its supervisor, where it has one, stays to say so in the records. */
export function endSandbox(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  const delivery = deliveries.get(child);
  if (delivery !== undefined) {
    delivery.end();
    return;
  }
  try {
    process.kill((isLauncher(pid) ? onlyChild(pid) : undefined) ?? pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
