import type { Format } from './adapter.ts';
import { type AgentEvent, asText, isObject, type JsonObject, listAt, objectAt, textAt } from './events.ts';

const READERS: Readonly<Record<Exclude<Format, 'text'>, (event: JsonObject) => AgentEvent[]>> = {
  claude: readClaudeEvent,
  codex: readCodexEvent,
  gemini: readGeminiEvent,
  opencode: readOpencodeEvent,
};

/** What one line of output says. A line that is no event is passed on as what it is and stops nothing. */
export function parseLine(format: Format, line: string): AgentEvent[] {
  const event = format === 'text' ? undefined : parseObject(line);
  if (event === undefined || format === 'text') return line === '' ? [] : [{ type: 'output', text: line }];
  return READERS[format](event);
}

function parseObject(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `claude --output-format stream-json`, and those that took over its words: qwen, amp, cursor. */
function readClaudeEvent(event: JsonObject): AgentEvent[] {
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

/** `codex exec --json`. */
function readCodexEvent(event: JsonObject): AgentEvent[] {
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

/** `gemini --output-format stream-json`. */
function readGeminiEvent(event: JsonObject): AgentEvent[] {
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

/** `opencode run --format json`: every event has a part, and a tool's part comes when it is done. */
function readOpencodeEvent(event: JsonObject): AgentEvent[] {
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
      return [{ type: 'error', message: opencodeError(objectAt(event, 'error')) }];
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

const opencodeError = (error: JsonObject) =>
  textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'message') ?? textAt(error, 'name') ?? '';
