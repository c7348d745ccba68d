import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../host/bytes.ts';
import type { LaunchPlan } from '../plan/plan.ts';
import { redactStream } from '../redact/redact-stream.ts';
import { Redaction } from '../redact/redaction.ts';
import type { Secret } from '../secrets/secret.ts';
import { relaySignals } from './ending.ts';
import { type LaunchOptions, type LaunchResult, launch } from './launch.ts';
import { nativeLauncher } from './machine.ts';

/** Starts what the plan says and stays as the parent: what the command writes passes through here without the secrets. */
export async function launchRedacted(
  plan: LaunchPlan,
  secrets: Iterable<readonly [Bytes, Secret]>,
): Promise<LaunchResult> {
  const redaction = new Redaction(secrets);
  const { child, result } = launch(plan, channels());
  const stopRelaying = relaySignals(child);
  // Closing the fifth descriptor tells what relays the terminal that all is shown.
  const allShown = () => (child.stdio[4] as Readable | undefined)?.destroy();
  const streams = [
    relay(child.stdout, redaction, process.stdout).finally(allShown),
    relay(child.stderr, redaction, process.stderr),
  ];
  try {
    const [ended] = await Promise.all([result, ...streams]);
    return ended;
  } finally {
    stopRelaying();
  }
}

/** On a terminal the command gets one of its own; where there is no native launcher it gets pipes. A terminal is both streams in one. */
function channels(): LaunchOptions {
  const ownTerminal = process.stdin.isTTY && process.stdout.isTTY && nativeLauncher() !== undefined;
  return { stdout: 'pipe', stderr: ownTerminal && process.stderr.isTTY ? 'inherit' : 'pipe', ownTerminal };
}

/** A reader that went away closes the command's end too, as it would have without us. */
async function relay(
  from: NodeJS.ReadableStream | null,
  redaction: Redaction,
  to: NodeJS.WritableStream,
): Promise<void> {
  if (from === null) return;
  try {
    await pipeline(from, redactStream(redaction), to, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
