import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

const INVALID_PARAMS = -32_602;
const RESOURCE_NOT_FOUND = -32_002;

/**
 * Revisions of the protocol before 2026 have a code of its own for a resource that is not there. The library answers with that of
 * the newest revision in all of them, and tells it by the address in `data` and nothing beside it.
 */
export function withOlderCodes<Kind extends Transport>(transport: Kind, isOlder: () => boolean): Kind {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(isOlder() ? renumbered(message) : message, options);
  return transport;
}

function renumbered(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INVALID_PARAMS) return message;
  const { data } = message.error;
  const isNotFound = typeof data === 'object' && data !== null && Object.keys(data).join() === 'uri';
  return isNotFound ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
}
