import { showName } from '../decide/guard/index.ts';
import { bytesOfText, showText } from '../host/bytes.ts';
import type { CordonError } from '../host/errors.ts';
import { coverTokens } from '../policy/load/frame.ts';
import type { Place } from '../policy/load/node.ts';
import type { Source } from '../policy/load/source.ts';
import type { Fixed } from './fix.ts';
import { RULES, type RuleId, type Severity } from './rules.ts';

export interface Region {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly file: string;
  /** Undefined where the finding is about the file as a whole. */
  readonly region: Region | undefined;
  readonly message: string;
  /** The variables it is about. */
  readonly names: readonly string[];
  readonly why: string;
  readonly fix: string;
  /** The reason that was given for leaving it as it is. */
  readonly silenced?: string;
}

/** A file that could not be checked. */
export interface Trouble {
  readonly file: string;
  readonly errors: readonly CordonError[];
}

export interface Report {
  readonly files: readonly { readonly file: string; readonly kind: string }[];
  readonly findings: readonly Finding[];
  readonly silenced: readonly Finding[];
  readonly troubles: readonly Trouble[];
  /** What `--fix` did; the findings are what is left then. */
  readonly fixed?: readonly Fixed[];
}

export interface FindingText {
  readonly message: string;
  readonly names?: readonly string[];
  readonly fix?: string;
}

/** Gathers what is found in one file, each thing once however many ways lead to it. */
export class Findings {
  readonly source: Source;
  readonly #found = new Map<string, Finding>();

  constructor(source: Source) {
    this.source = source;
  }

  add(rule: RuleId, place: Place, { message, names = [], fix }: FindingText): void {
    const { severity, why, fix: usualFix } = RULES[rule];
    const region = regionOf(this.source, place);
    const finding = {
      rule,
      severity,
      file: this.source.name,
      region,
      message: showText(coverTokens(message)),
      names: names.map(nameText),
      why,
      fix: fix ?? usualFix,
    };
    this.#found.set(`${rule} ${region?.line}:${region?.column} ${finding.message}`, finding);
  }

  list(): Finding[] {
    return [...this.#found.values()];
  }
}

/** A name as it may be shown: a value is sometimes pasted where a name belongs. */
export const nameText = (name: string): string => coverTokens(showName(bytesOfText(name)));

function regionOf(source: Source, place: Place): Region | undefined {
  if ('path' in place) return undefined;
  const start = source.position(place.start);
  const end = source.position(Math.min(place.end, Math.max(place.start, source.text.length)));
  return { ...start, endLine: end.line, endColumn: end.column };
}

export function inOrder(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  const [one, other] = [a.region ?? WHOLE, b.region ?? WHOLE];
  return one.line - other.line || one.column - other.column || Number(a.rule > b.rule) - Number(a.rule < b.rule);
}

const WHOLE = { line: 0, column: 0 };

/** At most a few names in a sentence; all of them are in `names`. */
export function listed(names: readonly string[], most = 6): string {
  const shown = names.slice(0, most).map(nameText).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
