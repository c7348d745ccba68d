import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { CallOptions, CallResult } from '../sessions/types.ts';
import { failure, refusal } from './failure.ts';
import { keepingOutput } from './kept-outputs.ts';
import { Preview, type PreviewOptions } from './preview.ts';
import { report } from './report.ts';
import type { CallKind, Outcome, Serving } from './serving.ts';

interface ToolCall {
  readonly kind: CallKind;
  readonly preview: PreviewOptions;
  readonly timeoutMs?: number | undefined;
  readonly start: (options: CallOptions) => Promise<CallResult>;
}

/** One tool call from admission to its report. Whatever goes wrong is a tool error in words, never a value. */
export async function runCall(call: ToolCall, context: ServerContext, serving: Serving): Promise<CallToolResult> {
  if (serving.draining?.() === true)
    return refused(call, serving, 'the server is shutting down; no new call is started');
  const leave = serving.gate.enter();
  if (leave === undefined) {
    const { limit } = serving.gate;
    return refused(
      call,
      serving,
      `too many calls at once: ${limit} are running, and ${limit} is the limit; wait for one to end`,
    );
  }
  try {
    return await observed(call, context, serving);
  } finally {
    leave();
  }
}

function refused({ kind }: ToolCall, { observer }: Serving, text: string): CallToolResult {
  observer?.refused(kind);
  return refusal(text);
}

async function observed(call: ToolCall, context: ServerContext, serving: Serving): Promise<CallToolResult> {
  const started = performance.now();
  const ended = (outcome: Outcome) => serving.observer?.ended(call.kind, outcome, (performance.now() - started) / 1000);
  serving.observer?.started(call.kind);
  try {
    const { result, toolResult } = await perform(call, context, serving);
    ended(outcomeOf(result));
    return toolResult;
  } catch (error) {
    ended('refused');
    return failure(error);
  }
}

async function perform(
  { start, preview: wanted, timeoutMs }: ToolCall,
  context: ServerContext,
  { ended, session }: Serving,
) {
  const preview = new Preview(wanted);
  const { signal, release } = joinSignals([context.mcpReq.signal, context.http?.req?.signal, ended]);
  const stopProgress = reportProgress(context, preview);
  const onOutput = (chunk: Buffer) => preview.push(chunk);
  try {
    const options = { signal, onOutput, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    const { result, kept } = await keepingOutput(session, (outputFile) => start({ ...options, ...outputFile }));
    return { result, toolResult: report({ result, preview, kept }) };
  } finally {
    stopProgress();
    release();
  }
}

function outcomeOf({ cancelled, timedOut, limit, exitCode }: CallResult): Outcome {
  if (cancelled) return 'cancelled';
  if (timedOut) return 'timeout';
  if (limit !== undefined) return 'limit';
  return exitCode === 0 ? 'ok' : 'failed';
}

const EVERY_MS = 500;

/** Tells a client that asked for it how a call is getting on; gives back how to stop. */
function reportProgress({ mcpReq }: ServerContext, preview: Preview): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  const started = performance.now();
  const tell = () => {
    const elapsed = Math.round(performance.now() - started);
    const message = `running for ${(elapsed / 1000).toFixed(1)} s, ${preview.bytes} bytes in ${preview.lines} lines so far`;
    const params = { progressToken, progress: elapsed, message };
    // A client that went away misses nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const timer = setInterval(tell, EVERY_MS);
  return () => clearInterval(timer);
}

interface Joined {
  readonly signal: AbortSignal;
  /** Takes the listeners off again: some of these signals live as long as the server. */
  readonly release: () => void;
}

/** Aborts as soon as one of them does. */
function joinSignals(signals: readonly (AbortSignal | undefined)[]): Joined {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const given = signals.filter((signal) => signal !== undefined);
  for (const signal of given) signal.addEventListener('abort', abort, { once: true });
  if (given.some(({ aborted }) => aborted)) abort();
  const release = () => {
    for (const signal of given) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
