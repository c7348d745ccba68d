const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export type Painter = (style: keyof typeof CODES, text: string) => string;

/** Paints for a terminal, leaves text alone elsewhere. */
export function painter(enabled: boolean): Painter {
  return enabled ? (style, text) => `\x1b[${CODES[style]}m${text}\x1b[0m` : (_, text) => text;
}
