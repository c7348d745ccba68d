/** Which shell reads the file: they agree on nearly everything that matters here. */
export type Dialect = 'bash' | 'zsh';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a word is made of once its quotes are gone. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly otherwise: readonly Part[] }
  | { readonly kind: 'command' };

export interface Word extends Span {
  readonly parts: readonly Part[];
  /** Of `NAME=(…)`. */
  readonly elements?: readonly Word[] | undefined;
}

/** A simple command, however deep it stands in compound ones, functions and substitutions. */
export interface Command extends Span {
  /** `NAME=value` before the first word. */
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  /** Where its redirections lead, and here-strings. */
  readonly operands: readonly Word[];
  readonly inFunction: boolean;
  readonly hasHereDocument: boolean;
}

export interface Loop {
  readonly name: string;
  readonly words: readonly Word[];
}

export interface Script {
  readonly text: string;
  readonly commands: readonly Command[];
  readonly comments: readonly Span[];
  readonly loops: readonly Loop[];
  /** Text that can't be taken out without breaking what is around it: conditions, patterns, lists of loops, here-documents. */
  readonly fixed: readonly Word[];
}

/** The file is not what this reader takes for a shell script; nothing is said about what stands in it. */
export class NotUnderstood extends Error {
  readonly at: number;

  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

export const VARIABLE = '\0';
export const SUBSTITUTION = '\x01';

/** The text of a word without its quotes; what only a run can tell is one mark. */
export function textOf(word: Word): string {
  const own = partsText(word.parts);
  return word.elements === undefined ? own : own + word.elements.map(textOf).join(' ');
}

function partsText(parts: readonly Part[]): string {
  return parts.map(partText).join('');
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'variable':
      return VARIABLE + partsText(part.otherwise);
    case 'command':
      return SUBSTITUTION;
  }
}

export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
