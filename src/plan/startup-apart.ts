/** What stands or goes as one: a line, with those that its backslashes, quotes, brackets or here-documents carry on to. */
export interface Unit {
  readonly line: number;
  readonly text: string;
  /** The same as the shell reads it: a backslash at the end of a line joins what stands on both sides, be it one word. */
  readonly code: string;
  /** Outside of every construct of several lines: taking it out leaves the rest whole. */
  readonly alone: boolean;
  /** The how-manieth construct at the top of the file it is part of. */
  readonly construct: number;
  readonly comment: boolean;
  /** A certificate: it looks as random as a key, and is for everybody. */
  readonly open: boolean;
}

const FUNCTION = /^\s*(?:function\s+([\w:.-]+)|([\w:.-]+)\s*\(\s*\))/;
/** Takes its names from a program or a file, and leaves nothing behind that exports what follows. */
const FROM_ELSEWHERE = /\bexport\s+["']?(?:\$\(|`)|\bset\s+-a\b.*\bset\s+\+a\b/s;

/** Nobody writes more of them; each is looked for in all files. */
const MOST = 32;

interface Around {
  /** Of this file. */
  readonly pieces: readonly Unit[];
  /** Of all files that a shell reads. */
  readonly everywhere: readonly Unit[];
  /** Whether a piece gives a variable a value that may be a secret. */
  readonly gives: (piece: Unit) => boolean;
}

/**
 * Where only a run can tell what is exported, any other line may be about that, and the whole file goes. Not so with a function that no
 * line calls: it exports nothing. Nor with a statement that has its names from elsewhere, where no other line gives anything a value that
 * could be a secret. Then it is enough that the function or the statement goes; these are its pieces.
 */
export function standingApart(found: readonly Unit[], around: Around): ReadonlySet<Unit> | undefined {
  const apart = new Set<Unit>();
  const statements: string[] = [];
  const constructs = new Set(found.map((piece) => piece.construct));
  if (constructs.size > MOST) return undefined;
  for (const construct of constructs) {
    const pieces = around.pieces.filter((piece) => piece.construct === construct);
    const text = pieces.map((piece) => piece.code).join('');
    const [, named, name = named] = FUNCTION.exec(text) ?? [];
    for (const piece of pieces) apart.add(piece);
    if (name === undefined) statements.push(text);
    else if (isCalled(name, pieces, around.everywhere)) return undefined;
  }
  if (statements.some((text) => !FROM_ELSEWHERE.test(text) || /\beval\b/.test(text))) return undefined;
  const isAlone = statements.length === 0 || !around.pieces.some((piece) => !apart.has(piece) && around.gives(piece));
  return isAlone ? apart : undefined;
}

function isCalled(name: string, own: readonly Unit[], everywhere: readonly Unit[]): boolean {
  const mention = new RegExp(String.raw`(?<![\w-])${name.replace(/\W/g, '\\$&')}(?![\w-])`);
  return everywhere.some((piece) => !own.includes(piece) && !piece.comment && mention.test(piece.code));
}
