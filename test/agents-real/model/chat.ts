import type { Answer, Asked, Event, Protocol } from './protocol.ts';

interface Body {
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: object } }[];
  readonly messages?: readonly { readonly role: string }[];
}

/** OpenAI Chat Completions, streamed. */
export const chat: Protocol = {
  path: /\/chat\/completions$/,
  read: ({ tools = [], messages = [] }: Body): Asked => ({
    tools: tools.map((tool) => ({ name: tool.function.name, parameters: tool.function.parameters ?? {} })),
    hasResult: messages.some(({ role }) => role === 'tool'),
  }),
  write: (answer, model) => [
    chunk(model, { role: 'assistant', ...delta(answer) }, null),
    chunk(model, {}, 'call' in answer ? 'tool_calls' : 'stop'),
    { data: '[DONE]' },
  ],
};

function delta(answer: Answer): object {
  if ('text' in answer) return { content: answer.text };
  const call = { name: answer.call.tool, arguments: JSON.stringify(answer.call.arguments) };
  return { content: null, tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] };
}

function chunk(model: string, content: object, finish: string | null): Event {
  const usage = finish === null ? {} : { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  return {
    data: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta: content, finish_reason: finish }],
      ...usage,
    },
  };
}
