import type { Answer, Asked, Event, Protocol } from './protocol.ts';

interface Part {
  readonly type: string;
  readonly content?: unknown;
}

interface Body {
  readonly tools?: readonly { readonly name: string; readonly input_schema?: object }[];
  readonly messages?: readonly { readonly content: string | readonly Part[] }[];
}

/** Anthropic Messages, streamed. */
export const anthropic: Protocol = {
  path: /\/messages(?:\?|$)/,
  read: ({ tools = [], messages = [] }: Body): Asked => {
    const results = resultsIn(messages);
    return {
      tools: tools.map(({ name, input_schema }) => ({ name, parameters: input_schema ?? {} })),
      hasResult: results.length > 0,
      results,
    };
  },
  write: (answer, model) => [
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    ...block(answer),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'call' in answer ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 2 },
    }),
    event('message_stop', {}),
  ],
};

function resultsIn(messages: NonNullable<Body['messages']>): string[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Part[]) : []));
  const results = parts.filter(({ type }) => type === 'tool_result');
  return results.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

let calls = 0;

function block(answer: Answer): Event[] {
  if ('text' in answer)
    return [
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: answer.text } }),
    ];
  return [
    event('content_block_start', {
      index: 0,
      content_block: { type: 'tool_use', id: `toolu_${++calls}`, name: answer.call.tool, input: {} },
    }),
    event('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(answer.call.arguments) },
    }),
  ];
}

const event = (type: string, fields: object): Event => ({ event: type, data: { type, ...fields } });
