import type { Bytes } from '../../host/bytes.ts';
import { programOf } from './assignment.ts';
import { type Command, textOf, type Word } from './syntax/index.ts';
import { holdsCredential, isHarmless, isSuspicious, literalOf } from './values.ts';
import type { Ground } from './verdicts.ts';

const ASSIGNED = /(?<![\w$.-])([A-Za-z_]\w*)\+?=("[^"]*"|'[^']*'|[^\s;&|'"]*)/g;
const EXPORTING = /(?:^|[\s;&|(])(?:export|declare|typeset|setenv|env)\s/;

/** Nothing shorter is one by its looks, and most words are. */
const SHORTEST_CREDENTIAL = 12;

/** How much a text matters: code that is surely run, some text, a comment. */
export type Weight = 'code' | 'text' | 'comment';

/**
 * The variable that a text sets although it is no assignment: code in quotes, a here-document, a comment. In code any value that isn't
 * harmless counts, elsewhere what looks like a credential; an empty name for one without a name.
 */
export function suspectIn(text: string, { passes }: Pick<Ground, 'passes'>, weight: Weight): string | undefined {
  if (text.length < SHORTEST_CREDENTIAL && !text.includes('=')) return undefined;
  const all = weight === 'code' || (weight === 'text' && EXPORTING.test(text));
  for (const [, name = '', given = ''] of text.matchAll(ASSIGNED)) {
    const value = given.replace(/^(["'])([\s\S]*)\1$/, '$2');
    if (passes(name as Bytes, literalOf(value) as Bytes)) continue;
    if (all ? !isHarmless(value) : isSuspicious(name, value)) return name;
  }
  return holdsCredential('', text) ? '' : undefined;
}

export interface Suspect {
  readonly word: Word;
  readonly name: string;
}

/** The words of a command that set a variable which the policy drops, or hold a credential. */
export function suspectsOf(command: Command, ground: Pick<Ground, 'passes'>): Suspect[] {
  const { name: program } = programOf(command);
  const whole = command.words.map((word) => codeIn(program, word)).join(' ');
  const weight = isRun(program) || EXPORTING.test(whole) ? 'code' : 'text';
  return [...command.words, ...command.operands].flatMap((word) => {
    const name = suspectIn(codeIn(program, word), ground, weight);
    return name === undefined ? [] : [{ word, name }];
  });
}

/** Its words are code, or assignments for sure; a program whose name only a run can tell may be one of those. */
function isRun(program: string): boolean {
  return ['eval', 'env'].includes(program) || /[\0\x01]|^[A-Za-z_]\w*\+?=/.test(program);
}

/** `alias NAME=…`: the name is no variable. */
function codeIn(program: string, word: Word): string {
  return program === 'alias' ? textOf(word).replace(/^[^=\s]*=/, '') : textOf(word);
}
