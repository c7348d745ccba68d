import { closeSync, fchmodSync, fstatSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { openToRead } from '../host/open-file.ts';
import { replaceFile } from '../host/replace-file.ts';
import type { Finding } from './finding.ts';
import { repositoryAt } from './git-index.ts';
import type { RuleId } from './rules.ts';

export interface Fixed {
  readonly file: string;
  readonly rule: RuleId;
  readonly what: string;
}

/** What a fix of it did; undefined where it could not be done. It takes away nothing that anybody could miss, and no value. */
type Fix = (finding: Finding) => string | undefined;

const FIXES: Readonly<Partial<Record<RuleId, Fix>>> = {
  'secrets-file-open': closeToOthers,
  'env-file-not-ignored': addToIgnored,
  'silenced-nothing': takeCommentOut,
};

/** From the end of each file to its start, so that places stay where they were. */
export function fixFindings(findings: readonly Finding[]): Fixed[] {
  return findings.toReversed().flatMap((finding) => {
    const what = attempted(FIXES[finding.rule], finding);
    return what === undefined ? [] : [{ file: finding.file, rule: finding.rule, what }];
  });
}

/** What may not be changed stays a finding. */
function attempted(fix: Fix | undefined, finding: Finding): string | undefined {
  try {
    return fix?.(finding);
  } catch {
    return undefined;
  }
}

/** Through the descriptor, so that it is the file that was looked at. */
function closeToOthers({ file }: Finding): string | undefined {
  const descriptor = openToRead(file, 'refused');
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    fchmodSync(descriptor, 0o600);
    return 'only its owner can read it now (mode 0600)';
  } finally {
    closeSync(descriptor);
  }
}

function addToIgnored({ file }: Finding): string | undefined {
  const path = resolve(file);
  const root = repositoryAt(dirname(path))?.root;
  if (root === undefined) return undefined;
  const ignore = join(root, '.gitignore');
  const before = textOf(ignore);
  if (before === undefined) return undefined;
  const line = `/${relative(root, path).split(sep).join('/')}`;
  const end = before === '' || before.endsWith('\n') ? '' : '\n';
  replaceFile(ignore, `${before}${end}${line}\n`, modeOf(ignore));
  return `.gitignore lists ${line} now`;
}

/** A line that was nothing else goes whole. */
function takeCommentOut({ file, region }: Finding): string | undefined {
  const text = region === undefined ? undefined : textOf(file);
  if (region === undefined || text === undefined) return undefined;
  const lines = text.split('\n');
  const at = region.line - 1;
  const kept = (lines[at] ?? '').slice(0, region.column - 1).trimEnd();
  const carriage = (lines[at] ?? '').endsWith('\r') ? '\r' : '';
  if (kept === '') lines.splice(at, 1);
  else lines[at] = `${kept}${carriage}`;
  replaceFile(file, lines.join('\n'), modeOf(file));
  return `the comment in line ${region.line} is gone`;
}

/** Empty where it is not there; undefined for links and what is no file. */
function textOf(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
}
