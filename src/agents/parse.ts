import type { Format } from './adapter.ts';
import { type AgentEvent, isObject, type JsonObject } from './events.ts';
import { readClaudeEvent } from './formats/claude.ts';
import { readCodexEvent } from './formats/codex.ts';
import { readGeminiEvent } from './formats/gemini.ts';
import { readOpencodeEvent } from './formats/opencode.ts';

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
