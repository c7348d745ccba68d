export interface Joined {
  readonly signal: AbortSignal;
  /** Takes the listeners off again: some of these signals live as long as the server. */
  readonly release: () => void;
}

/** Aborts as soon as one of them does. */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): Joined {
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
