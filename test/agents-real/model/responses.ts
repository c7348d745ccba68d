import type { Answer, Asked, Event, Protocol } from './protocol.ts';

interface Body {
  readonly tools?: readonly { readonly type: string; readonly name?: string; readonly parameters?: object }[];
  readonly input?: string | readonly { readonly type?: string }[];
}

/** OpenAI Responses, streamed. */
export const responses: Protocol = {
  path: /\/responses$/,
  read: ({ tools = [], input = [] }: Body): Asked => ({
    tools: tools.flatMap(({ name, type, parameters }) =>
      type === 'function' && name !== undefined ? [{ name, parameters: parameters ?? {} }] : [],
    ),
    hasResult: Array.isArray(input) && input.some(({ type }) => type === 'function_call_output'),
  }),
  write: (answer, model) => {
    const item = itemOf(answer);
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model,
      status: 'completed',
      output: [item],
      usage: {
        input_tokens: 1,
        input_tokens_details: null,
        output_tokens: 1,
        output_tokens_details: null,
        total_tokens: 2,
      },
    };
    return [
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }),
      ...deltas(answer),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response }),
    ];
  },
};

function itemOf(answer: Answer): object {
  if ('text' in answer)
    return {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: answer.text, annotations: [] }],
    };
  return {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: answer.call.tool,
    status: 'completed',
    arguments: JSON.stringify(answer.call.arguments),
  };
}

function deltas(answer: Answer): Event[] {
  if ('text' in answer)
    return [
      event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: answer.text }),
    ];
  return [
    event('response.function_call_arguments.delta', {
      item_id: 'fc_1',
      output_index: 0,
      delta: JSON.stringify(answer.call.arguments),
    }),
  ];
}

let sequence = 0;
const event = (type: string, fields: object): Event => ({
  event: type,
  data: { type, sequence_number: sequence++, ...fields },
});
