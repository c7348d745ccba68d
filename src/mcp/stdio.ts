import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { withOlderCodes } from './older-codes.ts';
import { keepOutOfRepositories } from './output-folder.ts';
import { createServer } from './server.ts';
import type { Serving } from './serving.ts';

const MAX_MESSAGE_BYTES = 8 << 20;

export interface StdioService {
  /** Settles when the client has gone or `close` was called. */
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Speaks MCP on stdin and stdout until the client closes its end. */
export function serveOnStdio(serving: Serving, complain: (problem: string) => void): StdioService {
  keepOutOfRepositories(serving.session.workspace);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  let isOlder = false;
  withOlderCodes(transport, () => isOlder);
  const handle = serveStdio(
    ({ era }) => {
      isOlder = era === 'legacy';
      return createServer(serving);
    },
    { transport, onerror: (error) => complain(problemOf(error)) },
  );
  const closeHandle = transport.onclose?.bind(transport);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closeHandle?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}

/** The library's own words could quote what the client sent. */
function problemOf(error: Error): string {
  if (error instanceof SyntaxError || error.name === 'ZodError' || error.name === '$ZodError')
    return 'ignored a line that is no JSON-RPC message';
  return /buffer/i.test(error.message)
    ? `a message is over ${MAX_MESSAGE_BYTES} bytes; the connection is closed`
    : 'ignored a message';
}
