import { join } from 'node:path';
import type { Part, Word } from './syntax/index.ts';

/** What each variable may hold, as far as the start-up files tell. */
export type Variables = ReadonlyMap<string, readonly string[]>;

const MOST = 64;

/** The paths a word may stand for, with `*` where a pattern leaves it open; undefined when only a run could tell. */
export function pathsOf(word: Word, variables: Variables, home: string): string[] | undefined {
  const texts = combine(word.parts, variables);
  return texts
    ?.flatMap(withoutBraces)
    .slice(0, MOST)
    .map((text) => absolute(withoutPatterns(text), home));
}

/** The texts a value may be. */
export function textsOf(parts: readonly Part[], variables: Variables): string[] | undefined {
  return combine(parts, variables);
}

function combine(parts: readonly Part[], variables: Variables): string[] | undefined {
  let texts = [''];
  for (const part of parts) {
    const choices = choicesOf(part, variables);
    if (choices === undefined) return undefined;
    texts = texts.flatMap((text) => choices.map((choice) => text + choice)).slice(0, MOST);
  }
  return texts;
}

function choicesOf(part: Part, variables: Variables): readonly string[] | undefined {
  if (part.kind === 'text') return [part.text];
  if (part.kind === 'command') return undefined;
  const known = variables.get(part.name) ?? [];
  const otherwise = part.otherwise.length === 0 ? [] : (combine(part.otherwise, variables) ?? []);
  return known.length + otherwise.length === 0 ? undefined : [...known, ...otherwise];
}

/** `~/.{path,exports}` is two words. */
function withoutBraces(text: string): string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(text);
  if (found?.[1] === undefined) return [text];
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  return found[1]
    .split(',')
    .flatMap((choice) => withoutBraces(before + choice + after))
    .slice(0, MOST);
}

function withoutPatterns(text: string): string {
  return text.replace(/\[[^\]]*\]|\?/g, '*').replace(/\*+/g, '*');
}

function absolute(path: string, home: string): string {
  return /^~(?:\/|$)/.test(path)
    ? join(home, path.slice(1))
    : join('/', path.startsWith('/') ? path : join(home, path));
}
