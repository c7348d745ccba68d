import { guardName, guardValue } from '../../decide/guard/index.ts';
import { looksRandom } from '../../decide/guard/rules/contexts.ts';
import type { Bytes } from '../../host/bytes.ts';

/** What stands or goes as one: a line, with those that its backslashes, quotes, brackets or here-documents carry on to. */
export interface Unit {
  readonly line: number;
  readonly text: string;
  /** Outside of every construct of several lines: taking it out leaves the rest whole. */
  readonly alone: boolean;
  readonly comment: boolean;
}

const pairs = (text: string) => new Map(text.split(' ').map((pair) => pair.split(/:(?=.)/) as [string, string]));
const BLOCKS = pairs('if:fi case:esac for:done while:done until:done select:done repeat:done {:}');
const BRACKETS = pairs('":" `:` (:) $(:) ${:${');
const ENDS = new Set(BLOCKS.values());
const BEFORE_COMMANDS = new Set('if while until { then elif else do ! time'.split(' '));
const KEYWORDS = [...BLOCKS.keys(), ...ENDS, ...BEFORE_COMMANDS].join('|').replace(/[{}]/g, '\\$&');
/** Behind blanks one token, of which these are told apart: 2 the end of a here-document, 3 a comment, 4 a word of a block. */
const CODE = new RegExp(
  String.raw`(?:[ \t]|\\\n)*(<<<|<<-?[ \t]*["'\\]?([\w.!@%+-]+)|((?<![^\s;&|(])#.*)|\\[\s\S]|'[^']*'` +
    String.raw`|((?<![^\s;&|()\`])(?:${KEYWORDS})(?![^\s;&|()\`]))|\$'(?:[^'\\]|\\[\s\S])*'` +
    String.raw`|\$?\(|\$\{|[;&|"'\`)\n]|[^\s;&|()<>"'\`\\$]+|[\s\S]|$)`,
  'y',
);
const TEXT = /(\\[\s\S]|\$\(|\$\{|["`}\n]|[^\\$"`}\n]+|[\s\S])/y;
/** A line that says nothing, and after which nothing can go on: most lines of most files. */
const SILENT = /[ \t]*(?:#[^\n&|(]*)?\n/y;
const GOES_ON = /(?:&&|\||\(\s{0,9}\)|\bfunction\s{1,9}[^\s(){}]{1,99})\s{0,99}(?:#.{0,999})?$/;
const MAY_GO_ON = /[&|(]|function/;
const DEEPEST = 100;

/**
 * Cuts a file into units. This is no parser: it follows quotes, brackets and the words of blocks as far as it takes to see
 * what is open, and is not `sure` as soon as these don't match. In fish an empty block is fine, so its words need no care.
 */
export function cutUp(text: string): { readonly units: readonly Unit[]; readonly sure: boolean } {
  return new Cutter(text);
}

class Cutter {
  readonly units: Unit[] = [];
  sure = true;
  readonly #text: string;
  readonly #open: string[] = [];
  readonly #documents: string[] = [];
  #at = 0;
  #from = 0;
  #line = 1;
  #inBlock = false;
  #several = false;
  /** A command may begin here. */
  #begins = true;

  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length && this.#open.length < DEEPEST)
      if (this.#at !== this.#from || !this.#isSilent()) this.#step(this.#open[this.#open.length - 1]);
    this.sure &&= this.#open.length + this.#documents.length === 0;
    this.#at = text.length;
    if (this.#from < text.length) this.#endUnit();
  }

  /** Where a unit begins nothing is open but blocks. */
  #isSilent(): boolean {
    SILENT.lastIndex = this.#at;
    const line = SILENT.exec(this.#text)?.[0];
    if (line === undefined || line.includes('function')) return false;
    this.#at += line.length;
    this.#begins = true;
    this.#endUnit();
    return true;
  }

  #step(top: string | undefined): void {
    const tokens = top === '"' || top === '${' ? TEXT : CODE;
    tokens.lastIndex = this.#at;
    const match = tokens.exec(this.#text) as RegExpExecArray;
    const token = match[1] as string;
    this.#at = tokens.lastIndex;
    if (token === '\n') this.#newline();
    else if (token === top || (token === '}' && top === '${')) this.#close(token);
    else if (BRACKETS.has(token)) this.#push(BRACKETS.get(token));
    else if (match[2] !== undefined) this.#documents.push(match[2]);
    else if (match[4] !== undefined) this.#keyword(token);
    else if (tokens === CODE && match[3] === undefined) this.#other(token, top);
  }

  #close(token: string): void {
    if (token.length > 1 && !this.#begins) return;
    this.#open.pop();
    this.#begins = !['"', '}', '`'].includes(token);
  }

  #push(closer = ''): void {
    this.#open.push(closer);
    this.#begins = true;
  }

  #keyword(word: string): void {
    const leads = BEFORE_COMMANDS.has(word) && (this.#begins || word === '{');
    if (BLOCKS.has(word) && (this.#begins || word === '{')) this.#push(BLOCKS.get(word));
    else if (this.#begins && ENDS.has(word)) this.sure = false;
    this.#begins = leads;
  }

  /** A pattern of `case` has only the second half of a pair. */
  #other(token: string, top: string | undefined): void {
    if ((token === ')' && top !== 'esac') || token === "'") this.sure = false;
    if (token.includes('\n')) this.#several = true;
    this.#begins = /^[;&|)]$/.test(token);
  }

  #newline(): void {
    const within = this.#open.some((closer) => closer === ')' || BRACKETS.has(closer));
    const end = this.#text.slice(Math.max(this.#from, this.#at - 1000), this.#at);
    const goesOn = within || (MAY_GO_ON.test(end) && GOES_ON.test(end));
    this.#begins = true;
    if (goesOn || this.#documents.length > 0) this.#several = true;
    for (const word of this.#documents.splice(0)) {
      const end = new RegExp(String.raw`^\t*${word.replace(/\W/g, '\\$&')}(?:\n|(?![^]))`, 'gm');
      end.lastIndex = this.#at;
      if (!end.test(this.#text)) this.sure = false;
      this.#at = end.lastIndex || this.#text.length;
    }
    if (!goesOn) this.#endUnit();
  }

  #endUnit(): void {
    const text = this.#text.slice(this.#from, this.#at);
    const alone = !this.#several && !this.#inBlock && this.#open.length === 0;
    this.units.push({ line: this.#line, text, alone, comment: !this.#several && /^\s*#/.test(text) });
    this.#line += text.split('\n').length - 1;
    this.#from = this.#at;
    this.#inBlock = this.#open.length > 0;
    this.#several = false;
  }
}

/** Something that must not be seen inside. `runs`: only a run can tell what is exported, and any other line may be about that. */
export interface Fault {
  readonly what: 'sets' | 'exports' | 'holds' | 'runs' | 'takes';
  /** The variable; empty where there is none to tell. */
  readonly name: string;
  readonly value?: string;
  /** What may stand in the place of the line. */
  readonly instead?: string;
}

/** `list`: a file of assignments, all of them exported. */
export type StartupKind = 'shell' | 'fish' | 'list' | 'comment';
type Passes = (name: Bytes, value: Bytes) => boolean;

export const WORD = String.raw`(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[^\s;&|<>()'"\\\`])`;
const ASSIGNED = new RegExp(
  String.raw`(?<![\w$.{\[-])["']?([A-Za-z_]\w*)["']?(?:\[[^\]\n]{0,99}\])?\+?=(${WORD}*)(?=([(\`].{0,99})?)`,
  'g',
);
const DECLARES = String.raw`(?:declare|typeset|local|readonly|integer|float)["']?(?:\s+[-+]\w+)*?\s+-\w*x\w*`;
const exporting = (more: string) =>
  new RegExp(
    String.raw`(?<![\w.$/-])(export|set-?env(?:ironment)?|exec\s+env|${DECLARES}${more})\b["']?((?:[ \t]+${WORD}+)*)`,
    'g',
  );
const EXPORTS = exporting('');
const FISH_EXPORTS = exporting(String.raw`|set(?:\s+-[\w-]+)*?\s+(?:-\w*x\w*|--export)`);
/** fish and csh need no `=`. */
const SETS = new RegExp(String.raw`\bset(?:\s+-[\w-]+)*\s+([A-Za-z_]\w*)\s+=?\s*(${WORD}+)`, 'g');
const LISTED = /^\s*(?:export\s+|SETUVAR\s+(?:-\S+\s+)*)?([A-Za-z_]\w*)/;
const LOOSE = new RegExp(String.raw`^(\s*)export\s+([A-Za-z_]\w*)=(${WORD}*)\s*(?:\s#.*\s*)?$`);
const SOURCE = String.raw`(?:\bsource|(?<![^\s;&|({!])\.)\s+["']?`;
/** Programs that print how to set themselves up: they run inside, where they find no credential. */
const SET_UP = new RegExp(
  String.raw`(?:\beval\s+["']?|${SOURCE})(?:[$<]\(|\`)[^()\`;&|<]{0,200}?(?:(?<=\s)(?:init|completions?|hook|shellenv|env|activate|--alias|--bash|--zsh)|\b(?:dircolors|lesspipe|ssh-agent|locale-check|argcomplete))\b[^()\`;&|<]{0,200}[)\`]["']?`,
  'g',
);
const RUNS = [
  /(?:^|[;&|({`\n]|\b(?:then|do|else))\s{0,99}\$\{?\w+\}?\s{1,99}[A-Za-z_]\w*=/,
  new RegExp(String.raw`${SOURCE}(?:[<=]\(|/(?:dev|proc)/)`),
];
const TAKEN = new RegExp(String.raw`${SOURCE}(?:\$\(|\`)`);
const EXPORTS_ALL = /\bset\s+(?:[-+]\w+\s+)*-\w*[ak]/;
const ALL_EXPORT = /(?<!unsetopt\s{1,9}|\+o\s{1,9})\ball_?export\b/i;

/**
 * One of these words is in whatever the patterns above find. Most lines have none, and a pattern that no line needs is never compiled,
 * which takes longer than the rest.
 */
const TELLING_CODE = /["'\\=:]|\S{12}|export|set|exec|eval|source|\.\s|declare|typeset|local|readonly|integer|float/i;
const TELLING: Readonly<Record<StartupKind, RegExp>> = {
  shell: TELLING_CODE,
  fish: TELLING_CODE,
  list: /\S/,
  comment: /[=:]|\S{12}/,
};
const EXPORTING = /export|set-?env|exec\s+env|(?:declare|typeset|local|readonly|integer|float).*-\w*x/s;
const mayExport = (plain: string, kind: StartupKind) =>
  EXPORTING.test(plain) || (kind === 'fish' && plain.includes('set'));
const TAKING = /source|\.\s/;
const RUNNING = /eval|source|\.\s|set|export/i;
const mayRun = (plain: string) => RUNNING.test(plain) || (plain.includes('$') && plain.includes('='));

/** What is wrong with a piece of code, told from its words alone: too much rather than too little. */
export function faultsIn(text: string, kind: StartupKind, passes: Passes): Fault[] {
  if (!TELLING[kind].test(text)) return [];
  const code = text.replaceAll('\\\n', '  ');
  const judge = new Judge(passes);
  if (kind === 'comment') judge.assigned(code, Number.POSITIVE_INFINITY);
  else if (!judge.loosens(code)) judge.code(code, kind);
  return judge.faults;
}

/** The code without what surely is no trace of a secret. */
export function withoutHarmless(code: string): string {
  return code.replace(ASSIGNED, (all, _, word, after) => (after === undefined && isHarmless(word) ? ' ' : all));
}

class Judge {
  readonly faults: Fault[] = [];
  readonly #drops: (name: string, value: string) => boolean;

  constructor(passes: Passes) {
    this.#drops = (name, value) => !passes(name as Bytes, literalOf(value) as Bytes);
  }

  /** `export NVM_DIR="$HOME/.nvm"`: the next line needs the value, nobody the export. */
  loosens(code: string): boolean {
    if (!code.includes('export')) return false;
    const [, indent = '', name = '', value = ''] = LOOSE.exec(code) ?? [];
    if (name === '' || guardName(name as Bytes) || !isHarmless(value) || !this.#drops(name, value)) return false;
    this.faults.push({ what: 'exports', name, instead: `${indent}${name}=${value}` });
    return true;
  }

  code(code: string, kind: StartupKind): void {
    const plain = withoutQuotes(code);
    const exports = mayExport(plain, kind) ? [...code.matchAll(kind === 'fish' ? FISH_EXPORTS : EXPORTS)] : [];
    for (const [, keyword = '', words = ''] of exports) this.#exported(keyword, words);
    const listed = kind === 'list' ? LISTED.exec(code)?.[1] : undefined;
    if (listed !== undefined && this.#drops(listed, '')) this.faults.push({ what: 'sets', name: listed });
    const inPieces = exports.length === 0 && EXPORTING.test(plain) && plain.search(EXPORTS) >= 0;
    if (TAKING.test(plain) && TAKEN.test(code)) this.faults.push({ what: 'takes', name: '' });
    if (inPieces || runs(code, plain, kind)) this.faults.push({ what: 'runs', name: '' });
    if (plain.includes('set')) this.#set(code);
    this.assigned(code, exports[0]?.index ?? Number.POSITIVE_INFINITY);
  }

  #set(code: string): void {
    for (const [, name = '', value = ''] of code.matchAll(SETS))
      if (isSecret(name, value) && this.#drops(name, value)) this.faults.push({ what: 'holds', name, value });
  }

  /** Names without values, and names that only a run can tell. */
  #exported(keyword: string, text: string): void {
    const all = (text.match(new RegExp(`${WORD}+`, 'g')) ?? []).map(withoutQuotes);
    const words = all.filter((word) => !/^[-+]/.test(word));
    const value = words.slice(1).join(' ');
    for (const name of /^set/.test(keyword) ? words.slice(0, 1) : words) {
      if (/^\w*[$`{*?]/.test(name)) this.faults.push({ what: 'runs', name: '' });
      else if (/^[A-Za-z_]\w*$/.test(name) && this.#drops(name, value))
        this.faults.push({ what: 'exports', name, value });
    }
  }

  /** What is assigned; exported if an exporting word stands before it. */
  assigned(code: string, since: number): void {
    const rest = code.includes('=') ? this.#withoutPassed(code, since) : code;
    if (this.faults.length === 0 && holdsCredential('', rest)) this.faults.push({ what: 'holds', name: '' });
  }

  #withoutPassed(code: string, since: number): string {
    return code.replace(ASSIGNED, (all: string, name: string, word: string, after: string | undefined, at: number) => {
      const value = word + (after ?? '');
      if (!this.#drops(name, value)) return ' ';
      const isCommand = /^(?:\$\(|`)(?!\s*(?:echo|printf|base64))/.test(value);
      if (at > since) this.faults.push({ what: 'sets', name, value });
      else if (!isCommand && isSecret(name, value)) this.faults.push({ what: 'holds', name, value });
      if (/["'\\]/.test(word)) this.assigned(word.replace(/["'\\]/g, ' '), since - at - all.length + word.length);
      return all;
    });
  }
}

const runs = (code: string, plain: string, kind: StartupKind) =>
  mayRun(plain) && (isRun(code, kind) || (plain !== code && isRun(plain, kind)));

function isRun(code: string, kind: StartupKind): boolean {
  const text = /[$<]\(|`/.test(code) ? code.replace(SET_UP, ' ') : code;
  const evaluated = text.search(/\beval\b/);
  if (evaluated >= 0 && /[$`]/.test(text.slice(evaluated))) return true;
  return RUNS.some((pattern) => pattern.test(text)) || exportsAll(text, kind);
}

/** Every assignment is exported from here on, also those of files that are taken in. */
export function exportsAll(text: string, kind: StartupKind): boolean {
  return (
    (/all_?export/i.test(text) && ALL_EXPORT.test(text)) ||
    (kind !== 'fish' && text.includes('set') && EXPORTS_ALL.test(text))
  );
}

/** A credential by its name or its look; what a run brings is no text of the file's own. */
export function isSecret(name: string, value: string): boolean {
  if (isHarmless(value) || /^[\s:]*$/.test(literalOf(value))) return false;
  // In zsh, `key` is the table of the keys of the terminal.
  return (name !== 'key' && guardName(name as Bytes) !== undefined) || holdsCredential(name, value);
}

/** A credential in any text: of a known form, or long and mixed as no word is. */
function holdsCredential(name: string, text: string): boolean {
  const plain = literalOf(text);
  if (!/[=:]/.test(plain) && !(/[\dA-Z@]/.test(plain) && /\S{12}/.test(plain))) return false;
  const mixed = (run: string) => (run.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0) >= 3;
  return guardValue(name as Bytes, plain as Bytes) !== undefined || (plain.match(/[\w+~-]{12,}/g) ?? []).some(mixed);
}

const VARIABLE = /\$(?:\{\w+(?:\[[\w@*]+\])?(?::?[-+=?])?\}|\w+(?:\[\w+\])?|[@*#?!$-])/g;

/** What stands in the file itself. */
export function literalOf(value: string): string {
  const plain = withoutQuotes(value);
  return plain.includes('$') ? plain.replace(VARIABLE, ' ') : plain;
}

export function withoutQuotes(text: string): string {
  return text.replace(/["'\\]/g, '');
}

const SWITCHES = new Set(['', ...'yes no y n true false on off auto always never none'.split(' ')]);
const isSwitch = (text: string) => SWITCHES.has(text.toLowerCase()) || /^\d{1,6}$/.test(text);
const FOLDERS = String.raw`s?bin|boot|data|dev|etc|home|lib\d*|media|mnt|nix|opt|proc|root|run|snap|srv|sys|tmp|usr|var`;
/** From a variable, the home or a folder of the system on, in segments as people name them. */
const PATH = new RegExp(String.raw`^(?:\0|~|/(?:${FOLDERS})(?=/|$)|(?=/?$))(?:/[\w.+@%,*\0-]{0,40})*$`);

/** A value that can't be a secret whatever its name: nothing, a switch, a number, paths, what other variables hold. */
function isHarmless(value: string): boolean {
  const text = withoutQuotes(value).replace(VARIABLE, '\0');
  const isPath = (path: string) => PATH.test(path) && !path.split('/').some(looksRandom);
  return isSwitch(text) || text.split(':').every(isPath);
}
