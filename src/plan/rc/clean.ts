import { type Declaration, declarationOf, isAssignmentIn, programOf, settingOf } from './assignment.ts';
import { isUnfollowable } from './contents.ts';
import { applyEdits, type Edit } from './edits.ts';
import { suspectIn, suspectsOf } from './suspects.ts';
import { type Command, lineOf, NotUnderstood, type Script, type Span, textOf, type Word } from './syntax/index.ts';
import { isSuspicious, literalOf } from './values.ts';
import { type Ground, judge, type Verdict } from './verdicts.ts';

/** Something that is not in the copy; an empty name where there is none to tell. */
export interface LeftOut {
  readonly line: number;
  readonly name: string;
  readonly what: 'assignment' | 'export' | 'command' | 'comment' | 'source';
}

export interface Copy {
  readonly text: string;
  readonly leftOut: readonly LeftOut[];
  /** Values that must not stand anywhere else either. */
  readonly secrets: readonly string[];
}

/** A copy of the script without what the policy drops. The same text when there is nothing to leave out. */
export function cleanCopy(script: Script, ground: Ground, exportsAll: readonly Span[]): Copy {
  const cleaning = new Cleaning(script, ground, exportsAll);
  for (const word of script.fixed) cleaning.refuseSuspect(word);
  for (const command of script.commands) cleaning.command(command);
  for (const comment of script.comments) cleaning.comment(comment);
  return cleaning.copy();
}

class Cleaning {
  readonly #script: Script;
  readonly #ground: Ground;
  readonly #exportsAll: readonly Span[];
  readonly #edits: Edit[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #secrets: string[] = [];

  constructor(script: Script, ground: Ground, exportsAll: readonly Span[]) {
    this.#script = script;
    this.#ground = ground;
    this.#exportsAll = exportsAll;
  }

  /** Comments go as soon as anything goes: what was switched off by one is still there to be read. */
  copy(): Copy {
    const comments =
      this.#leftOut.length === 0 ? [] : this.#script.comments.map((span) => ({ ...span, leaves: '' }) as const);
    return {
      text: applyEdits(this.#script.text, [...this.#edits, ...comments]),
      leftOut: [...this.#leftOut].sort((a, b) => a.line - b.line),
      secrets: this.#secrets,
    };
  }

  refuseSuspect(word: Word): void {
    const name = suspectIn(textOf(word), this.#ground, 'text');
    if (name !== undefined)
      throw new NotUnderstood(word.from, `${name || 'a credential'} stands where it cannot be taken out`);
  }

  comment(span: Span): void {
    const name = suspectIn(this.#script.text.slice(span.from + 1, span.to), this.#ground, 'comment');
    if (name !== undefined) this.#say(span.from, name, 'comment');
  }

  command(command: Command): void {
    const declaration = declarationOf(command);
    if (declaration !== undefined || command.words.length === 0)
      for (const word of command.operands) this.refuseSuspect(word);
    if (declaration !== undefined) this.#declaration(command, declaration);
    else if (command.words.length === 0) this.#assignments(command);
    else this.#ordinary(command);
  }

  #assignments(command: Command): void {
    const removed = command.assignments.filter(
      (word) => this.#verdict(word, { exports: false, passing: command.inFunction }) === 'remove',
    );
    if (removed.length > 0) this.#remove(command, removed, removed.length === command.assignments.length);
  }

  #declaration(command: Command, { exports, onlyExports, head, settings }: Declaration): void {
    const passing = command.inFunction;
    const verdicts = settings.map((word) => this.#declared(word, { exports, passing }));
    const canUnexport = onlyExports && !verdicts.includes('keep');
    const removed = settings.filter(
      (word, i) =>
        verdicts[i] === 'remove' ||
        (verdicts[i] === 'unexport' && !(canUnexport && isAssignmentIn(this.#script.text, word))),
    );
    const gone = settings.length > 0 && removed.length === settings.length;
    this.#remove(command, removed, gone);
    if (!gone && canUnexport && settings.length > 0)
      this.#unexport(
        head,
        settings.filter((word) => !removed.includes(word)),
      );
  }

  /** A bare name only exports; a name that only a run can tell may be any. */
  #declared(word: Word, how: { exports: boolean; passing: boolean }): Verdict {
    const setting = settingOf(word);
    if (setting === undefined) return how.exports ? 'remove' : 'keep';
    if (!setting.bare) return this.#verdict(word, how);
    const passes = this.#ground.passes(setting.name as never, '' as never);
    return passes || !how.exports ? 'keep' : 'remove';
  }

  #verdict(word: Word, how: { exports: boolean; passing: boolean }): Verdict {
    const setting = settingOf(word);
    if (setting === undefined) throw new NotUnderstood(word.from, 'an assignment of an odd form');
    const exportsAll = this.#exportsAll.some(({ from, to }) => word.from >= from && word.from < to);
    return judge({ ...setting, ...how, exportsAll }, this.#ground);
  }

  #ordinary(command: Command): void {
    if (isUnfollowable(this.#script.text, command)) {
      this.#cut(command, [], true);
      this.#say(command.from, '', 'source');
      return;
    }
    const passing = command.assignments.filter(
      (word) => this.#verdict(word, { exports: false, passing: true }) === 'remove',
    );
    if (!this.#suspects(command) && passing.length > 0) this.#remove(command, passing, false);
  }

  /** A suspicious alias goes alone; else the whole command does. True when it is gone. */
  #suspects(command: Command): boolean {
    const suspects = suspectsOf(command, this.#ground);
    if (suspects.length === 0) return false;
    const { name, rest } = programOf(command);
    const some = name === 'alias' && suspects.length < rest.length && suspects.every(({ word }) => rest.includes(word));
    this.#cut(
      command,
      suspects.map(({ word }) => word),
      !some,
    );
    for (const suspect of suspects) this.#say(suspect.word.from, suspect.name, 'command');
    return !some;
  }

  #remove(command: Command, words: readonly Word[], whole: boolean): void {
    if (words.length > 0) this.#cut(command, words, whole);
    for (const word of words) {
      const setting = settingOf(word);
      this.#say(word.from, setting?.name ?? '', setting?.bare === false ? 'assignment' : 'export');
      if (setting !== undefined && isSuspicious(setting.name, setting.value))
        this.#secrets.push(...longParts(setting.value));
    }
  }

  #cut(command: Command, words: readonly Word[], whole: boolean): void {
    if (whole && command.hasHereDocument)
      throw new NotUnderstood(command.from, 'a here-document for a command that is taken out');
    if (whole) this.#edits.push({ from: command.from, to: command.to, leaves: ':' });
    else for (const { from, to } of words) this.#edits.push({ from, to, leaves: ' ' });
  }

  /** `export A="$HOME/a"` becomes `A="$HOME/a"`. */
  #unexport(head: readonly Word[], kept: readonly Word[]): void {
    const [first, last] = [head[0], head.at(-1)];
    if (first === undefined || last === undefined) return;
    this.#edits.push({ from: first.from, to: last.to, leaves: ' ' });
    for (const word of kept) this.#say(word.from, settingOf(word)?.name ?? '', 'export');
  }

  #say(at: number, name: string, what: LeftOut['what']): void {
    this.#leftOut.push({ line: lineOf(this.#script.text, at), name, what });
  }
}

const LONG = 8;

function longParts(value: string): string[] {
  return literalOf(value)
    .split(/\s+/)
    .filter((part) => part.length >= LONG);
}
