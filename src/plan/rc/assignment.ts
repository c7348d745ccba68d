import { ASSIGNMENT, type Command, textOf, type Word } from './syntax/index.ts';
import type { Setting } from './verdicts.ts';

/** `NAME=value`, `NAME+=value`, `NAME[key]=value` or a bare NAME; undefined when only a run could tell the name. */
export function settingOf(word: Word): (Pick<Setting, 'name' | 'value'> & { readonly bare: boolean }) | undefined {
  const text = textOf(word);
  const found = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?(?:\+?=([\s\S]*))?$/.exec(text);
  if (found?.[1] === undefined) return undefined;
  return { name: found[1], value: found[2] ?? '', bare: found[2] === undefined };
}

/** Whether the shell sees an assignment there even when nothing stands before it. */
export function isAssignmentIn(text: string, { from, to }: Word): boolean {
  return ASSIGNMENT.test(text.slice(from, to));
}

const PREFIXES = new Set(['builtin', 'command', 'noglob', 'nocorrect', 'exec', '-']);
const DECLARING = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'integer', 'float']);

export interface Declaration {
  readonly exports: boolean;
  /** Nothing but the export would be lost without the word and its flags. */
  readonly onlyExports: boolean;
  /** The word and its flags. */
  readonly head: readonly Word[];
  readonly settings: readonly Word[];
}

/** The program a command runs, behind `builtin` and its like. */
export function programOf({ words }: Command): { readonly name: string; readonly rest: readonly Word[] } {
  const at = words.findIndex((word) => !PREFIXES.has(textOf(word)));
  const program = at < 0 ? undefined : words[at];
  return { name: program === undefined ? '' : textOf(program), rest: at < 0 ? [] : words.slice(at + 1) };
}

export function declarationOf(command: Command): Declaration | undefined {
  const { name, rest } = programOf(command);
  if (!DECLARING.has(name)) return undefined;
  const count = rest.findIndex((word) => !/^[-+][A-Za-z-]/.test(textOf(word)));
  const flags = rest.slice(0, count < 0 ? rest.length : count).map(textOf);
  const head = command.words.slice(0, command.words.length - rest.length + flags.length);
  return {
    exports:
      name === 'export' ? !flags.some((flag) => /^-\w*[nf]/.test(flag)) : flags.some((flag) => /^-\w*x/.test(flag)),
    onlyExports:
      name === 'export' ? flags.length === 0 : flags.length > 0 && flags.every((flag) => /^-[gx]+$/.test(flag)),
    head,
    settings: command.words.slice(head.length),
  };
}
