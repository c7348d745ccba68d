/** What an agent does, in the same words for all of them. */
export type AgentEvent =
  | { readonly type: 'start'; readonly session?: string | undefined; readonly model?: string | undefined }
  /** Something it says; `partial` when the sentence goes on in the next. */
  | { readonly type: 'text'; readonly text: string; readonly partial?: boolean }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool'; readonly id?: string | undefined; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool-result';
      readonly id?: string | undefined;
      readonly output: string;
      readonly failed: boolean;
    }
  | { readonly type: 'error'; readonly message: string }
  | { readonly type: 'end'; readonly failed: boolean; readonly text?: string | undefined }
  /** A line that is no event: plain output, or garbage among events. */
  | { readonly type: 'output'; readonly text: string }
  /** An event that has no word here. */
  | { readonly type: 'other'; readonly event: unknown };

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectAt = (value: unknown, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};

export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

/** Anything as text: tools answer with text, lists of parts, or structures. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((part) => textAt(part, 'text') ?? asText(part)).join('\n');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
