import { type AgentEvent, asText, type JsonObject, objectAt, textAt } from '../events.ts';

/** `opencode run --format json`: every event has a part, and a tool's part comes when it is done. */
export function readOpencodeEvent(event: JsonObject): AgentEvent[] {
  const part = objectAt(event, 'part');
  switch (event.type) {
    case 'step_start':
      return [{ type: 'start', session: textAt(event, 'sessionID') }];
    case 'text':
      return [{ type: 'text', text: textAt(part, 'text') ?? '' }];
    case 'reasoning':
      return [{ type: 'thinking', text: textAt(part, 'text') ?? '' }];
    case 'tool_use':
      return readTool(part);
    case 'step_finish':
      return part.reason === 'stop' ? [{ type: 'end', failed: false }] : [{ type: 'other', event }];
    case 'error':
      return [{ type: 'error', message: errorOf(objectAt(event, 'error')) }];
    default:
      return [{ type: 'other', event }];
  }
}

function readTool(part: JsonObject): AgentEvent[] {
  const state = objectAt(part, 'state');
  const id = textAt(part, 'callID');
  const call: AgentEvent = { type: 'tool', id, name: textAt(part, 'tool') ?? 'a tool', input: state.input };
  if (state.status !== 'completed' && state.status !== 'error') return [call];
  const failed = state.status === 'error';
  return [call, { type: 'tool-result', id, output: asText(failed ? state.error : state.output), failed }];
}

const errorOf = (error: JsonObject) =>
  textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'message') ?? textAt(error, 'name') ?? '';
