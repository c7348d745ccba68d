import { coverTokens } from '../policy/load/frame.ts';
import type { Source } from '../policy/load/source.ts';
import { nearest } from '../policy/nearest.ts';
import { type Finding, Findings } from './finding.ts';
import { ALWAYS_SAID, RULES, type RuleId } from './rules.ts';

interface Comment {
  readonly rule: string;
  readonly reason: string;
  readonly place: { readonly start: number; readonly end: number };
  /** The lines whose findings it speaks of. */
  readonly lines: readonly number[];
}

const COMMENT = /(?:^|[\s,;{[])(?:#|\/\/)[ \t]*cordon-check:[ \t]*allow\b[ \t]*([^\s]*)[ \t]*(.*)$/;
const ONLY_COMMENT = /^\s*(?:#|\/\/)/;

/** Splits findings into what is said and what a comment with a reason silences, and says what is wrong with the comments. */
export function silence(source: Source, found: readonly Finding[]): { said: Finding[]; silenced: Finding[] } {
  const comments = commentsIn(source);
  const valid = comments.filter((comment) => isRule(comment.rule) && hasReason(comment));
  const silenced = found.flatMap((finding) => {
    const comment = valid.find((one) => speaksOf(one, finding));
    return comment === undefined ? [] : [{ ...finding, silenced: coverTokens(comment.reason.trim()) }];
  });
  const said = found.filter((finding) => !valid.some((comment) => speaksOf(comment, finding)));
  const useless = valid.filter((comment) => !found.some((finding) => speaksOf(comment, finding)));
  return { said: [...said, ...badComments(source, comments, useless)], silenced };
}

function speaksOf({ rule, lines }: Comment, finding: Finding): boolean {
  return finding.rule === rule && (finding.region === undefined || lines.includes(finding.region.line));
}

function commentsIn(source: Source): Comment[] {
  const lines = source.text.split(/\r\n|\n|\r/);
  return lines.flatMap((line, i) => {
    const match = COMMENT.exec(line);
    if (match === null) return [];
    const start = source.lineStart(i + 1) + match.index + match[0].search(/#|\/\//);
    const end = source.lineStart(i + 1) + line.length;
    return [{ rule: match[1] ?? '', reason: match[2] ?? '', place: { start, end }, lines: linesMeant(lines, i) }];
  });
}

/** Its own line, or, when there is nothing else on it, the next one that is no comment. */
function linesMeant(lines: readonly string[], at: number): number[] {
  if (!ONLY_COMMENT.test(lines[at] ?? '')) return [at + 1];
  const next = lines.findIndex((line, i) => i > at && !ONLY_COMMENT.test(line));
  return next === -1 ? [] : [next + 1];
}

const isRule = (rule: string): rule is RuleId => Object.hasOwn(RULES, rule) && !ALWAYS_SAID.includes(rule as RuleId);

/** A word, at least; punctuation is none. */
const hasReason = ({ reason }: Comment) => /\p{Letter}{2}/u.test(reason);

function badComments(source: Source, comments: readonly Comment[], useless: readonly Comment[]): Finding[] {
  const findings = new Findings(source);
  for (const comment of comments) {
    const { rule, place } = comment;
    if (!isRule(rule)) findings.add('silenced-unknown-rule', place, unknownRule(rule));
    else if (!hasReason(comment))
      findings.add('silenced-without-reason', place, { message: `${rule} is silenced here, and no reason is given` });
    else if (useless.includes(comment))
      findings.add('silenced-nothing', place, { message: `there is no finding of ${rule} here` });
  }
  return findings.list();
}

function unknownRule(rule: string): { message: string; fix?: string } {
  if (rule === '') return { message: 'the comment names no rule' };
  if (Object.hasOwn(RULES, rule)) return { message: `${rule} cannot be silenced`, fix: 'fix what it says instead' };
  const near = nearest(rule, Object.keys(RULES));
  return { message: `there is no rule '${rule}'`, ...(near === undefined ? {} : { fix: `did you mean ${near}?` }) };
}
