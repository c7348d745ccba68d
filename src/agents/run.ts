import { pipeline, type Readable } from 'node:stream';
import type { Decision } from '../decide/decide.ts';
import { type EndCause, Ending } from '../launch/ending.ts';
import { redactStream } from '../redact/redact-stream.ts';
import { Redaction } from '../redact/redaction.ts';
import { Tail } from './lines.ts';
import { type AgentStart, type StartedAgent, startAgent, startAgentIn } from './spawn.ts';

/** Why an agent ended: by itself, because it was told to, or because its time was over. */
export type EndReason = 'exited' | 'aborted' | 'timeout';

export interface AgentLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** How long it may take to end by itself once it is told to. */
  readonly graceMs?: number | undefined;
}

/** An agent may have work to put down first. */
const GRACE_MS = 5000;

function reasonOf(cause: EndCause | undefined): EndReason {
  if (cause === undefined) return 'exited';
  return cause === 'time' ? 'timeout' : 'aborted';
}

export interface AgentOutcome {
  /** The agent's own code; 128+n after death by signal n. */
  readonly exitCode: number;
  readonly reason: EndReason;
  /** It failed, and what it said last sounds as if nobody were logged in. */
  readonly notLoggedIn: boolean;
  readonly decisions: readonly Decision[];
}

interface Readers extends AgentLimits {
  /** Called once the agent runs. */
  readonly onStart?: (started: StartedAgent) => void;
  /** Takes the output; memory stays constant as long as it reads no faster than it can handle. */
  readonly readOutput: (stdout: Readable, started: StartedAgent) => Promise<void>;
  readonly readErrors: (stderr: Readable) => Promise<void>;
}

/** Starts an agent, lets its output be read, holds it to its limits and says how it ended. */
export async function runAgent(start: AgentStart, readers: Readers): Promise<AgentOutcome> {
  const clean = cleaner(start);
  const started = start.target === undefined ? startAgent(start) : await startAgentIn(start, start.target);
  const { child, result, prepared } = started;
  const { signal, timeoutMs, graceMs = GRACE_MS } = readers;
  const ending = new Ending(child, { timeoutMs, graceMs, signals: [signal] });
  const tail = new Tail();
  readers.onStart?.(started);
  try {
    const [{ exitCode }] = await Promise.all([
      result,
      readers.readOutput(clean(overheard(child.stdout as Readable, tail)), started),
      readers.readErrors(clean(overheard(child.stderr as Readable, tail))),
    ]);
    const reason = reasonOf(ending.done());
    const notLoggedIn = exitCode !== 0 && reason === 'exited' && tail.matches(start.adapter.notLoggedIn);
    return { exitCode, reason, notLoggedIn, decisions: prepared.decisions };
  } finally {
    ending.done();
  }
}

/** With redaction asked for, nobody reads what the agent says of its credentials. */
function cleaner({ policy, credentials, broker }: AgentStart): (stream: Readable) => Readable {
  const secrets = [...credentials, ...(broker?.values ?? [])];
  if (!policy.redact || secrets.length === 0) return (stream) => stream;
  const redaction = new Redaction(secrets);
  return (stream) => pipeline(stream, redactStream(redaction), () => undefined); // Whoever reads hears of a failure.
}

/** Whoever pauses the stream pauses this too. */
function overheard(stream: Readable, tail: Tail): Readable {
  stream.on('data', (chunk: Buffer) => tail.add(chunk));
  stream.pause();
  return stream;
}
