import type { ServerContext } from '@modelcontextprotocol/server';
import type { Preview } from './preview.ts';

const EVERY_MS = 500;

/** Tells a client that asked for it how a call is getting on; gives back how to stop. */
export function reportProgress({ mcpReq }: ServerContext, preview: Preview): () => void {
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
