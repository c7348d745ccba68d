import type { Node } from '../policy/load/node.ts';
import { Source } from '../policy/load/source.ts';
import type { Region } from './finding.ts';
import type { Kind } from './kinds/kind.ts';
import { parseText } from './parse.ts';

interface Written {
  readonly file: string;
  readonly kind: Kind;
  readonly text: string;
}

const COMMENT = /^(?:#|\/\/)[ \t]*cordon-check:/;

/**
 * The text without the line of a comment; undefined where the comment is not alone on it, or not there any more, or
 * where the line may be a part of a value: what looks like a comment in a script of a workflow is text somebody wrote.
 */
export async function withoutComment(written: Written, { line, column }: Region): Promise<string | undefined> {
  const source = new Source(written.file, written.text);
  const own = source.lineText(line);
  if (own.slice(0, column - 1).trim() !== '' || !COMMENT.test(own.slice(column - 1))) return undefined;
  const before = written.text.slice(0, source.lineStart(line));
  const rest = `${before}${written.text.slice(source.lineStart(line + 1))}`;
  return (await keepsValues(written, rest, before)) ? rest : undefined;
}

async function keepsValues({ file, kind, text }: Written, rest: string, before: string): Promise<boolean> {
  const was = isText(kind) ? undefined : await parseText(file, new Source(file, text), kind);
  if (was === undefined) return before.split(/\r\n|\n|\r/).every(endsByItself);
  return valuesOf(was) === valuesOf(await parseText(file, new Source(file, rest), kind));
}

const isText = (kind: Kind) => kind === 'env-list' || kind === 'dockerfile';

const valuesOf = (root: Node | undefined) =>
  JSON.stringify(root, (key, value: unknown) => {
    if (key === 'place' || key === 'keyPlace') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });

/** In `.env` and Dockerfiles: it leaves no quote open, and no backslash or here-document makes it go on. If unsure, no. */
function endsByItself(line: string): boolean {
  if (/^\s*#/.test(line)) return true;
  if (/\\["'`]|[\\`]\s*$|<</.test(line)) return false;
  return !/["'`]/.test(line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, ''));
}
