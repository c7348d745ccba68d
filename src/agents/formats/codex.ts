import { type AgentEvent, asText, type JsonObject, listAt, objectAt, textAt } from '../events.ts';

/** `codex exec --json`. */
export function readCodexEvent(event: JsonObject): AgentEvent[] {
  const item = objectAt(event, 'item');
  switch (event.type) {
    case 'thread.started':
      return [{ type: 'start', session: textAt(event, 'thread_id') }];
    case 'item.started':
      return isTool(item) ? [toolOf(item)] : [];
    case 'item.completed':
      return completed(item);
    case 'turn.completed':
      return [{ type: 'end', failed: false }];
    case 'turn.failed':
      return [{ type: 'end', failed: true, text: textAt(objectAt(event, 'error'), 'message') }];
    case 'error':
      return [{ type: 'error', message: textAt(event, 'message') ?? '' }];
    default:
      return [{ type: 'other', event }];
  }
}

const TOOLS = ['command_execution', 'mcp_tool_call', 'collab_tool_call', 'web_search', 'file_change'];
const isTool = ({ type }: JsonObject) => TOOLS.includes(String(type));

function toolOf(item: JsonObject): AgentEvent {
  const id = textAt(item, 'id');
  const command = textAt(item, 'command');
  if (command !== undefined) return { type: 'tool', id, name: 'shell', input: { command } };
  const name = textAt(item, 'tool') ?? String(item.type);
  return { type: 'tool', id, name, input: item.arguments ?? item.changes ?? item.query ?? {} };
}

function completed(item: JsonObject): AgentEvent[] {
  const text = textAt(item, 'text') ?? '';
  if (item.type === 'agent_message' || item.type === 'plan') return [{ type: 'text', text }];
  if (item.type === 'reasoning') return [{ type: 'thinking', text }];
  if (item.type === 'error') return [{ type: 'error', message: textAt(item, 'message') ?? '' }];
  if (item.type === 'file_change') return [toolOf(item), resultOf(item)];
  return isTool(item) ? [resultOf(item)] : [{ type: 'other', event: item }];
}

function resultOf(item: JsonObject): AgentEvent {
  const error = textAt(objectAt(item, 'error'), 'message');
  const content = listAt(objectAt(item, 'result'), 'content');
  const output = textAt(item, 'aggregated_output') ?? error ?? asText(content);
  return {
    type: 'tool-result',
    id: textAt(item, 'id'),
    output,
    failed: item.status === 'failed' || error !== undefined,
  };
}
