import { type AgentEvent, asText, isObject, type JsonObject, listAt, objectAt, textAt } from '../events.ts';

/** `claude --output-format stream-json`, and those that took over its words: qwen, amp, cursor. */
export function readClaudeEvent(event: JsonObject): AgentEvent[] {
  switch (event.type) {
    case 'system':
      return event.subtype === 'init'
        ? [{ type: 'start', session: textAt(event, 'session_id'), model: textAt(event, 'model') }]
        : [{ type: 'other', event }];
    case 'assistant':
      return contentOf(event).flatMap(readSaid);
    case 'user':
      return contentOf(event).flatMap(readAnswer);
    case 'tool_call':
      return readCursorCall(event);
    case 'result':
      return [{ type: 'end', failed: event.is_error === true, text: textAt(event, 'result') ?? errorOf(event) }];
    case 'error':
      return [{ type: 'error', message: textAt(event, 'message') ?? errorOf(event) ?? 'an error without words' }];
    default:
      return [{ type: 'other', event }];
  }
}

const errorOf = (event: JsonObject) => textAt(objectAt(event, 'error'), 'message') ?? textAt(event, 'error');

function contentOf(event: JsonObject): readonly unknown[] {
  const message = objectAt(event, 'message');
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : listAt(message, 'content');
}

function readSaid(part: unknown): AgentEvent[] {
  if (!isObject(part)) return [];
  if (part.type === 'text') return [{ type: 'text', text: asText(part.text) }];
  if (part.type === 'thinking') return [{ type: 'thinking', text: asText(part.thinking) }];
  if (part.type !== 'tool_use') return [];
  return [{ type: 'tool', id: textAt(part, 'id'), name: textAt(part, 'name') ?? 'a tool', input: part.input }];
}

/** What the agent was told again is no news; what a tool answered is. */
function readAnswer(part: unknown): AgentEvent[] {
  if (!isObject(part) || part.type !== 'tool_result') return [];
  const failed = part.is_error === true;
  return [{ type: 'tool-result', id: textAt(part, 'tool_use_id'), output: asText(part.content), failed }];
}

/** cursor: `{"tool_call":{"readToolCall":{"args":…,"result":…}}}`, once started and once completed. */
function readCursorCall(event: JsonObject): AgentEvent[] {
  const id = textAt(event, 'call_id');
  const [name = 'tool', call] = Object.entries(objectAt(event, 'tool_call'))[0] ?? [];
  if (event.subtype === 'started')
    return [{ type: 'tool', id, name: name.replace(/ToolCall$/, ''), input: objectAt(call, 'args') }];
  const result = objectAt(call, 'result');
  return [{ type: 'tool-result', id, output: asText(result.success ?? result), failed: result.error !== undefined }];
}
