import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { credentialRule, schemeOf } from './credential.ts';
import type { CredentialRule, SetRule } from './policy.ts';
import { nameProblem } from './presets/presets.ts';

/** One line of a file of variables. */
export interface EnvLine {
  readonly name: string;
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

const LONGEST = 1 << 20;
const NAME = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;

/**
 * `NAME=value` as dotenv has it: quotes, escapes in double quotes, comments. No shell looks at it: `$(…)` and `$NAME` are text.
 * `docker` takes everything behind the first `=` as it is.
 */
export function readEnvLines(text: string, where: string, form: 'dotenv' | 'docker' = 'dotenv'): EnvLine[] {
  if (text.length > LONGEST) throw problem(where, 'is larger than 1 MiB', 'is it the right file?');
  if (text.includes('\0')) throw problem(where, 'is a binary file', 'give a file of NAME=value lines');
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .flatMap((written, i) => {
      if (/^\s*(?:#|$)/.test(written)) return [];
      const [before, name] = NAME.exec(written) ?? [];
      if (before === undefined || name === undefined)
        throw problem(
          `${where}:${i + 1}`,
          'has no NAME=value on this line',
          'put text over several lines in one, with \\n',
        );
      const rest = written.slice(form === 'docker' ? written.indexOf('=') + 1 : before.length);
      return [{ name, value: form === 'docker' ? rest : unquoted(rest, `${where}:${i + 1}`), line: i + 1 }];
    });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unquoted(text: string, where: string): string {
  const quote = text[0] ?? '';
  if (!['"', "'", '`'].includes(quote)) {
    const comment = text.search(/[ \t]#/);
    return (comment < 0 ? text : text.slice(0, comment)).trim();
  }
  const end = closing(text, quote);
  if (end < 0 || !/^[ \t]*(?:#.*)?$/.test(text.slice(end + 1)))
    throw problem(where, 'has a quote that does not end on this line', 'put text over several lines in one, with \\n');
  const inner = text.slice(1, end);
  return quote === '"' ? inner.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) : inner;
}

function closing(text: string, quote: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

/** A command is none of the sources here, since a file may come with a project. */
const isReference = (value: string) => schemeOf(value) !== undefined && /^[a-z]+:\/\/\S+$/.test(value);
const COMMAND = /^cmd:\/\//;

export interface EnvFileRules {
  readonly set: readonly SetRule[];
  readonly credentials: readonly CredentialRule[];
}

/** What a file of variables asks for: fixed values, and references to credentials. */
export function envFileRules(lines: readonly EnvLine[], where: string): EnvFileRules {
  const set: SetRule[] = [];
  const credentials: CredentialRule[] = [];
  for (const { name, value, line } of lines) {
    const origin = `${where}:${line}`;
    const refused = nameProblem(name as Bytes);
    if (refused !== undefined) throw problem(origin, `sets ${name}, which is refused: ${refused}`, 'take the line out');
    if (COMMAND.test(value))
      throw problem(
        origin,
        `takes ${name} from a command`,
        'commands stand in profiles of your own; use another source',
      );
    if (isReference(value)) credentials.push(credentialRule({ target: name as Bytes, source: value, origin }));
    else set.push({ name: name as Bytes, value: bytesOfText(value), origin });
  }
  return { set, credentials };
}

/** The message has no part of a line, which may be a secret. */
const problem = (where: string, what: string, hint: string) =>
  new CordonError('env-file', `the file ${what}`, { where, hint });
