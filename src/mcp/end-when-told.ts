const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `end` on the first signal that asks for it. A second one does not wait any longer: bubblewrap dies with this process. SIGUSR1 would open
 * Node's inspector on a process that holds secrets, so it does nothing.
 */
export function endWhenTold(end: () => void): () => void {
  let told = false;
  const listen = () => {
    if (told) process.exit(130);
    told = true;
    end();
  };
  const ignore = () => undefined;
  for (const signal of ENDING) process.on(signal, listen);
  process.on('SIGUSR1', ignore);
  return () => {
    for (const signal of ENDING) process.off(signal, listen);
  };
}
