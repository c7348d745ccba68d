import type { IncomingMessage, ServerResponse } from 'node:http';

/** The request as the library takes it. Its signal is aborted when the client goes away before the response is complete. */
export function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  // To whom it was addressed was checked before, and the path is known.
  return new Request('http://localhost/mcp', { method: request.method ?? 'GET', headers, signal: gone.signal });
}

/** The body, or undefined when it is larger than allowed. The rest is left unread, so that an answer can still be sent. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(void request.pause());
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client went away')));
  });
}

/** Sends what the library answered, as fast as the client reads. */
export async function sendResponse(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) {
    to.end();
    return;
  }
  const reader = from.body.getReader();
  to.once('close', () => void reader.cancel().catch(() => undefined));
  to.flushHeaders();
  for (let part = await reader.read(); !part.done && !to.destroyed; part = await reader.read())
    if (!to.write(part.value)) await drained(to);
  to.end();
}

export function drained(to: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      to.off('drain', done);
      to.off('close', done);
      resolve();
    };
    to.once('drain', done);
    to.once('close', done);
  });
}

/** An answer of our own, in the form MCP clients expect. */
export function refuse(
  to: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const code = status === 404 ? -32001 : -32000;
  sendText(
    to,
    status,
    'application/json',
    JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }),
    headers,
  );
}

export function sendText(
  to: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: Record<string, string> = {},
): void {
  to.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  to.end(text);
}
