import { text } from 'node:stream/consumers';
import type { Helper } from './helper.ts';

/** How a trial ended and what it printed. */
export interface TrialOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Waits until it has ended and nothing holds its output any more. */
export async function ended(child: Helper, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<TrialOutcome> {
  const end = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const read = (stream: NodeJS.ReadableStream | null) => (stream === null ? '' : text(stream.setEncoding(encoding)));
  const [code, stdout, stderr] = await Promise.all([end, read(child.stdout), read(child.stderr)]);
  return { code, stdout, stderr };
}
