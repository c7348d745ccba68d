import type { Asked, Protocol } from './protocol.ts';

interface Body {
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents?: readonly { readonly parts?: readonly object[] }[];
  /** Of a subscription: the same one level down. */
  readonly request?: Body;
}

/** Gemini generateContent, streamed or whole. */
export const gemini: Protocol = {
  path: /:(?:streamGenerateContent|generateContent)(?:\?|$)/,
  read: (body: Body): Asked => {
    const { tools = [], contents = [] } = body.request ?? body;
    return {
      tools: tools.flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name }) => ({ name, parameters: {} })),
      ),
      hasResult: contents.some(({ parts = [] }) => parts.some((part) => 'functionResponse' in part)),
    };
  },
  write: (answer, model) => {
    const part =
      'text' in answer
        ? { text: answer.text }
        : { functionCall: { name: answer.call.tool, args: answer.call.arguments } };
    const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [{ data: { candidates: [candidate], usageMetadata, modelVersion: model } }];
  },
};
