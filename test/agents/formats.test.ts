import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agents/events.ts';
import { parseLine } from '../../src/agents/formats.ts';
import { Lines, LONGEST_LINE } from '../../src/agents/lines.ts';
import { EventView, safeOutput } from '../../src/agents/view.ts';

type Format = Parameters<typeof parseLine>[0];
const events = (format: Format, ...lines: readonly (object | string)[]): AgentEvent[] =>
  lines.flatMap((line) => parseLine(format, typeof line === 'string' ? line : JSON.stringify(line)));

const DONE: AgentEvent[] = [
  { type: 'start', session: 's1', model: 'm' },
  { type: 'text', text: 'I will look.' },
  { type: 'tool', id: 't1', name: 'Bash', input: { command: 'ls' } },
  { type: 'tool-result', id: 't1', output: 'a\nb', failed: false },
  { type: 'end', failed: false, text: 'Done.' },
];

describe('the words of each agent become the same events', () => {
  test('claude, and qwen and amp after it', () => {
    expect(
      events(
        'claude',
        { type: 'system', subtype: 'init', session_id: 's1', model: 'm', cwd: '/' },
        { type: 'assistant', message: { content: [{ type: 'text', text: 'I will look.' }] } },
        {
          type: 'assistant',
          message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
        },
        {
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a\nb' }] }] },
        },
        { type: 'result', subtype: 'success', is_error: false, result: 'Done.' },
      ),
    ).toEqual(DONE);
  });

  test('cursor, whose calls look different', () => {
    const call = { readToolCall: { args: { path: 'a.ts' }, result: { success: { content: 'x' } } } };
    expect(
      events(
        'claude',
        { type: 'tool_call', subtype: 'started', call_id: 'c', tool_call: call },
        { type: 'tool_call', subtype: 'completed', call_id: 'c', tool_call: call },
      ),
    ).toEqual([
      { type: 'tool', id: 'c', name: 'read', input: { path: 'a.ts' } },
      { type: 'tool-result', id: 'c', output: '{"content":"x"}', failed: false },
    ]);
  });

  test('codex', () => {
    const item = {
      id: 'i1',
      type: 'command_execution',
      command: 'ls',
      aggregated_output: 'a\nb',
      exit_code: 0,
      status: 'completed',
    };
    expect(
      events(
        'codex',
        { type: 'thread.started', thread_id: 's1' },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'i0', type: 'agent_message', text: 'I will look.' } },
        { type: 'item.started', item: { ...item, aggregated_output: '', status: 'in_progress' } },
        { type: 'item.completed', item },
        { type: 'turn.failed', error: { message: '401' } },
      ),
    ).toEqual([
      { type: 'start', session: 's1' },
      { type: 'other', event: { type: 'turn.started' } },
      { type: 'text', text: 'I will look.' },
      { type: 'tool', id: 'i1', name: 'shell', input: { command: 'ls' } },
      { type: 'tool-result', id: 'i1', output: 'a\nb', failed: false },
      { type: 'end', failed: true, text: '401' },
    ]);
  });

  test('gemini, which speaks in pieces', () => {
    expect(
      events(
        'gemini',
        { type: 'init', session_id: 's1', model: 'm' },
        { type: 'message', role: 'user', content: 'hi' },
        { type: 'message', role: 'assistant', content: 'I will ', delta: true },
        { type: 'tool_use', tool_name: 'run_shell_command', tool_id: 't1', parameters: { command: 'ls' } },
        { type: 'tool_result', tool_id: 't1', status: 'error', error: { message: 'no' } },
        { type: 'result', status: 'success' },
      ),
    ).toEqual([
      { type: 'start', session: 's1', model: 'm' },
      { type: 'text', text: 'I will ', partial: true },
      { type: 'tool', id: 't1', name: 'run_shell_command', input: { command: 'ls' } },
      { type: 'tool-result', id: 't1', output: 'no', failed: true },
      { type: 'end', failed: false, text: undefined },
    ]);
  });

  test('opencode, whose tools come when they are done', () => {
    const part = {
      tool: 'bash',
      callID: 't1',
      state: { status: 'completed', input: { command: 'ls' }, output: 'a\nb' },
    };
    expect(
      events(
        'opencode',
        { type: 'step_start', sessionID: 's1', part: {} },
        { type: 'tool_use', part },
        { type: 'text', part: { text: 'Done.' } },
        { type: 'step_finish', part: { reason: 'stop' } },
        { type: 'error', error: { name: 'ProviderAuthError', data: { message: 'no key' } } },
      ),
    ).toEqual([
      { type: 'start', session: 's1' },
      { type: 'tool', id: 't1', name: 'bash', input: { command: 'ls' } },
      { type: 'tool-result', id: 't1', output: 'a\nb', failed: false },
      { type: 'text', text: 'Done.' },
      { type: 'end', failed: false },
      { type: 'error', message: 'no key' },
    ]);
  });

  test.each(['claude', 'codex', 'gemini', 'opencode'] as const)('%s: what is no event stops nothing', (format) => {
    const garbage = [
      'not json',
      '{"type":',
      '[]',
      'null',
      '{"type":{}}',
      '{}',
      '{"type":"assistant","message":5}',
      '\u0000',
    ];
    const seen = events(format, ...garbage);
    expect(seen.filter(({ type }) => type === 'output').length).toBe(5);
    expect(seen.every(({ type }) => ['output', 'other', 'start', 'text', 'end'].includes(type))).toBe(true);
  });
});

describe('the live view', () => {
  const shown = (colours: boolean, list: readonly AgentEvent[]) => {
    const view = new EventView(colours);
    return list.map((event) => view.show(event)).join('') + view.end();
  };

  test('text, calls and answers', () => {
    expect(shown(false, DONE)).toBe('I will look.\n▸ Bash ls\n  a\n  b\n');
  });

  test('coloured where it is asked for', () => {
    expect(shown(true, DONE)).toBe('I will look.\n\x1b[36m▸ Bash\x1b[0m ls\n\x1b[2m  a\n  b\x1b[0m\n');
  });

  test('pieces of a sentence come without waiting for its end', () => {
    expect(
      shown(false, [
        { type: 'text', text: 'one ', partial: true },
        { type: 'text', text: 'two', partial: true },
        { type: 'error', message: 'x' },
      ]),
    ).toBe('one two\nerror: x\n');
  });

  test('nothing an agent says can steer the terminal', () => {
    const evil = '\x1b]0;title\x07\x1b[2J\u202e\r\x9b5n';
    const all: AgentEvent[] = [
      { type: 'text', text: evil },
      { type: 'tool', name: evil, input: { command: evil } },
      { type: 'tool-result', output: evil, failed: false },
      { type: 'error', message: evil },
      { type: 'output', text: evil },
      { type: 'end', failed: true, text: `${evil}!` },
    ];
    expect(shown(false, all)).not.toMatch(/[\x1b\x07\r\x9b\u202e]/);
    expect(safeOutput(`${evil}\x1b[31mred\x1b[0m`)).toMatch(/^[^\x1b]*\x1b\[31mred\x1b\[0m$/);
  });

  test('long answers are cut', () => {
    const output = Array.from({ length: 100 }, (_, at) => `line ${at} ${'x'.repeat(500)}`).join('\n');
    const lines = shown(false, [{ type: 'tool-result', output, failed: true }]).split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[20]).toBe('  … 80 more lines');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(210);
  });
});

describe('lines', () => {
  test('come out whole, whatever the chunks', () => {
    const text = Buffer.from('ein Fuß\r\nzwei\n\ndrei');
    for (let size = 1; size < text.length; size++) {
      const lines = new Lines();
      const found: string[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...lines.add(text.subarray(at, at + size)));
      expect([...found, ...lines.end()]).toEqual(['ein Fuß', 'zwei', '', 'drei']);
    }
  });

  test('one without an end is cut', () => {
    const lines = new Lines();
    for (let i = 0; i < 10; i++) lines.add(Buffer.alloc(1024 * 1024, 'x'));
    expect(lines.add(Buffer.from('\nnext\n'))).toEqual(['x'.repeat(LONGEST_LINE), 'next']);
  });
});
