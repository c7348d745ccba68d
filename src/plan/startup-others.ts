import { guardName, holdsKnownForm, isHarmless, literalOf } from '../decide/guard/index.ts';
import { hasUserinfo } from '../decide/guard/rules/contexts.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import type { StartupFile, StartupPolicy, StartupText } from './startup-file.ts';

/*
 * Files of version managers that start-up files take in: `~/.cargo/env`, `~/.nvm/nvm.sh`. They are programs, thousands of lines long, and
 * what they export is theirs: folders, switches, addresses. A line that gives a credential, or any other fixed word to a name that is
 * dropped, was added by somebody, and such a line alone stands there as `:`, so that the block around it stays whole.
 */

const LITERAL = String.raw`"[^"$\`\\]*"|'[^']*'|[^\s"'$\`()\\;&|<>]+`;
const GIVES = new RegExp(String.raw`(?<![\w$.{\[/-])([A-Za-z_]\w*)\+?=(${LITERAL})(?![^\s;&|)#])`, 'g');
const GIVES_IN_FISH = new RegExp(String.raw`\bset\s+(?:-[\w-]+\s+)*([A-Za-z_]\w*)\s+(${LITERAL})`, 'g');
const EXPORTS = /(?<![\w.$/-])(?:export|(?:declare|typeset)\s+-\w*x|set(?:env|\s+-\w*x)?)\b/;
const MAY_GIVE = /=|\bset/;
/** What an address or an option says is no word of anybody's. */
const IS_PLAIN = /^(?:https?:\/\/|-)/;
/** `key` and `token` of a program's own functions are no variables of anybody's. */
const IS_VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
/** Where something stays open: taken out, the rest would be read otherwise. */
const PART_OF_MORE =
  /^\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function)\b|[(){}`]|;;|(?:&&|\|\|?|\\)\s*$/;

export function standInForOthers({ path, shown, text }: StartupText, policy: StartupPolicy): StartupFile[] {
  const note = (line: number, name: string, saying: string, hidden: boolean) => ({
    ...{ path, file: showBytes(shown as Bytes), line, name: name as Bytes, hidden, saying },
  });
  const whatOf = (name: string) => (name === '' ? 'holds a credential' : `sets ${name}`);
  const empty = (line: number, name: string, saying: string) => [
    { path, text: '' as Bytes, notes: [note(line, name, `${saying}: the whole file is left out`, true)] },
  ];
  if (text === undefined) return empty(1, '', 'is not text of up to 1 MiB');
  const lines = linesOf(text);
  const faults = lines.flatMap((line) => {
    const name = faultOf(line.code, policy);
    return name === undefined ? [] : [{ ...line, name }];
  });
  if (faults.length === 0) return [];
  const open = faults.find(({ code }) => isPartOfMore(code));
  if (open !== undefined) return empty(open.line, open.name, `${whatOf(open.name)} in a construct of several lines`);
  const gone = new Set(faults.map(({ line }) => line));
  const copy = lines.map(({ line, code, raw }) => (gone.has(line) ? instead(code, raw) : raw)).join('') as Bytes;
  return [
    {
      path,
      text: copy,
      notes: faults.map(({ line, name }) => note(line, name, `${whatOf(name)}: left out of the copy`, false)),
    },
  ];
}

interface Line {
  readonly line: number;
  readonly raw: string;
  readonly code: string;
}

/** A backslash at the end joins lines, and one that nothing follows is part of the last. */
function linesOf(text: string): Line[] {
  let line = 1;
  const raws = text.match(/(?:[^\n\\]|\\[\s\S]?)*(?:\n|$)/g) ?? [];
  // At the end of the text it matches once more, with nothing.
  return raws.filter(Boolean).map((raw) => {
    const first = line;
    line += raw.split('\n').length - 1;
    return { line: first, raw, code: raw.replaceAll('\\\n', '').replace(/\\$/, '').trimEnd() };
  });
}

/** The name that is given a value that must not be seen; empty where there is none to tell. */
function faultOf(code: string, { passes, holdsDropped }: StartupPolicy): string | undefined {
  if (holdsDropped(code) || holdsKnownForm(code as Bytes) || hasUserinfo(literalOf(code) as Bytes)) return '';
  if (!MAY_GIVE.test(code)) return undefined;
  const isExported = EXPORTS.test(code);
  const given = [...code.matchAll(GIVES), ...(/\bset\s/.test(code) ? code.matchAll(GIVES_IN_FISH) : [])];
  return given.find(([, name = '', value = '']) => {
    const word = literalOf(value);
    if (isHarmless(value) || IS_PLAIN.test(word) || passes(name as Bytes, word as Bytes)) return false;
    return isExported || (IS_VARIABLE.test(name) && guardName(name as Bytes) !== undefined);
  })?.[1];
}

const isComment = (code: string) => /^\s*#/.test(code);

function isPartOfMore(code: string): boolean {
  if (isComment(code)) return false;
  const quotes = code.replace(/\\["'\\]/g, '');
  return (
    PART_OF_MORE.test(code.replace(/\$\{[^{}]*\}/g, '')) ||
    quotes.split('"').length % 2 === 0 ||
    quotes.split("'").length % 2 === 0
  );
}

/** As many lines as before. */
const instead = (code: string, raw: string) => (isComment(code) ? '' : ':') + raw.replace(/[^\n]+/g, '');
