import { type AgentEvent, asText, type JsonObject, objectAt, textAt } from '../events.ts';

/** `gemini --output-format stream-json`. */
export function readGeminiEvent(event: JsonObject): AgentEvent[] {
  const id = textAt(event, 'tool_id');
  const error = textAt(objectAt(event, 'error'), 'message');
  switch (event.type) {
    case 'init':
      return [{ type: 'start', session: textAt(event, 'session_id'), model: textAt(event, 'model') }];
    case 'message':
      if (event.role !== 'assistant') return [];
      return [{ type: 'text', text: asText(event.content), partial: event.delta === true }];
    case 'tool_use':
      return [{ type: 'tool', id, name: textAt(event, 'tool_name') ?? 'a tool', input: event.parameters }];
    case 'tool_result':
      return [
        { type: 'tool-result', id, output: textAt(event, 'output') ?? error ?? '', failed: event.status === 'error' },
      ];
    case 'error':
      return [{ type: 'error', message: textAt(event, 'message') ?? error ?? '' }];
    case 'result':
      return [{ type: 'end', failed: event.status === 'error', text: error }];
    default:
      return [{ type: 'other', event }];
  }
}
