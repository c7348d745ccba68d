import { fchmodSync, lstatSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { showText } from '../host/bytes.ts';
import { reading } from '../host/files.ts';
import { replaceFile } from '../host/whole-file.ts';
import type { Node } from '../policy/load/node.ts';
import { Source } from '../policy/load/source.ts';
import type { Finding, Region, Report } from './finding.ts';
import { isIgnored, lineFor } from './git-ignore.ts';
import { repositoryAt } from './git-index.ts';
import type { Kind } from './kinds/kind.ts';
import { parseText, readText } from './read.ts';
import type { RuleId } from './rules.ts';
import { placeOf, strayIn } from './whereabouts.ts';

export interface Fixed {
  readonly file: string;
  readonly rule: RuleId;
  readonly what: string;
}

interface FixTarget {
  /** Where the file really lies. A link at its end is refused by every fix. */
  readonly file: string;
  readonly kind: Kind;
  readonly finding: Finding;
}

/** What a fix of it did; undefined where it could not be done. It takes away nothing that anybody could miss, and no value. */
type Fix = (target: FixTarget) => string | undefined | Promise<string | undefined>;

const FIXES: Readonly<Partial<Record<RuleId, Fix>>> = {
  'secrets-file-open': closeToOthers,
  'env-file-not-ignored': addToIgnored,
  'silenced-nothing': takeCommentOut,
};

/** From the end of each file to its start, so that places stay where they were; each finding once, however its file is spelled. */
export async function fixFindings(report: Pick<Report, 'files' | 'findings'>, workdir: string): Promise<Fixed[]> {
  const isStray = strayIn(workdir);
  const done = new Set<string>();
  const fixed: Fixed[] = [];
  for (const finding of report.findings.toReversed()) {
    const { file, rule, region } = finding;
    const checked = onlyOne(report.files.filter((one) => showText(one.file) === file));
    if (FIXES[rule] === undefined || checked === undefined || isStray(checked.file)) continue;
    const target = { file: placeOf(checked.file), kind: checked.kind as Kind, finding };
    const id = JSON.stringify([target.file, rule, region]);
    const what = done.has(id) ? undefined : await attempted(FIXES[rule], target);
    done.add(id);
    if (what !== undefined) fixed.push({ file, rule, what });
  }
  return fixed;
}

/** Two names that are shown alike are two files: neither is touched. */
const onlyOne = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** What may not be changed stays a finding. */
async function attempted(fix: Fix, target: FixTarget): Promise<string | undefined> {
  try {
    return await fix(target);
  } catch {
    return undefined;
  }
}

/** Through the descriptor, so that it is the file that was looked at. */
function closeToOthers({ file }: FixTarget): string | undefined {
  return reading(file, 'refused', (descriptor, stats) => {
    if (!stats.isFile()) return undefined;
    fchmodSync(descriptor, 0o600);
    return 'only its owner can read it now (mode 0600)';
  });
}

/** A line that another one takes back again is put away: it would fix nothing. */
function addToIgnored({ file }: FixTarget): string | undefined {
  const repository = repositoryAt(dirname(file));
  if (repository === undefined) return undefined;
  const line = lineFor(relative(repository.root, file).split(sep).join('/'));
  if (line === undefined) return undefined;
  const ignore = join(repository.root, '.gitignore');
  const mode = lstatSync(ignore, { throwIfNoEntry: false })?.mode;
  const before = mode === undefined ? '' : wholeText(ignore);
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  replaceFile(ignore, `${before}${end}${line}\n`, { mode: (mode ?? 0o644) & 0o777 });
  if (isIgnored(repository, file, undefined)) return `.gitignore lists ${showText(line)} now`;
  if (mode === undefined) rmSync(ignore);
  else replaceFile(ignore, before, { mode: mode & 0o777 });
  return undefined;
}

function wholeText(path: string): string {
  const { mark, text } = readText(path, 'refused');
  return `${mark}${text}`;
}

async function takeCommentOut({ file, kind, finding: { region } }: FixTarget): Promise<string | undefined> {
  if (region === undefined) return undefined;
  const { text, mark, stats } = readText(file, 'refused');
  const rest = await withoutComment({ file, kind, text }, region);
  if (rest === undefined) return undefined;
  replaceFile(file, `${mark}${rest}`, { mode: stats.mode & 0o777 });
  return `the comment in line ${region.line} is gone`;
}

interface WrittenFile {
  readonly file: string;
  readonly kind: Kind;
  readonly text: string;
}

const COMMENT = /^(?:#|\/\/)[ \t]*cordon-check:/;

/**
 * The text without the line of a comment; undefined where the comment is not alone on it, or not there any more, or
 * where the line may be a part of a value: what looks like a comment in a script of a workflow is text somebody wrote.
 */
async function withoutComment(written: WrittenFile, { line, column }: Region): Promise<string | undefined> {
  const source = new Source(written.file, written.text);
  const own = source.lineText(line);
  if (own.slice(0, column - 1).trim() !== '' || !COMMENT.test(own.slice(column - 1))) return undefined;
  const before = written.text.slice(0, source.lineStart(line));
  const rest = `${before}${written.text.slice(source.lineStart(line + 1))}`;
  return (await keepsValues(written, rest, before)) ? rest : undefined;
}

async function keepsValues({ file, kind, text }: WrittenFile, rest: string, before: string): Promise<boolean> {
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
