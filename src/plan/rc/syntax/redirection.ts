import type { Reader } from './reader.ts';
import type { Word } from './script.ts';
import { isRange, readWord } from './word.ts';

const REDIRECTION = /(?:\d+|\{\w+\})?(?:<<<|<<-?|<>|<&|>>\||>>!|>>|>\||>&|>!|<|>)|&>>?[|!]?/y;

export function isRedirection(r: Reader): boolean {
  const found = isRange(r) ? undefined : r.match(REDIRECTION);
  return found !== undefined && !(/^[<>]$/.test(found) && r.peek(1) === '(');
}

/** True when a here-document follows. */
export function readRedirection(r: Reader, operands: Word[]): boolean {
  const operator = r.match(REDIRECTION) ?? '';
  r.at += operator.length;
  r.skipBlanks();
  const word = readWord(r);
  const isDocument = /(?<!<)<<-?$/.test(operator);
  if (!isDocument) operands.push(word);
  else expectDocument(r, word, operator.endsWith('-'));
  return isDocument;
}

function expectDocument(r: Reader, word: Word, tabs: boolean): void {
  if (!word.parts.every((part) => part.kind === 'text')) r.fail('a here-document with an odd end');
  r.expectHereDocument({ delimiter: word.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''), tabs });
}
