import * as guard from '../decide/guard/index.ts';
import { type Bytes, showBytes } from '../host/bytes.ts';
import { standingApart, type Unit } from './startup-apart.ts';
import type { StartupFile, StartupKind, StartupNote, StartupPolicy, StartupText } from './startup-file.ts';
import { standInForOthers } from './startup-others.ts';

/**
 * Shells inside read the very files where people export their keys. Of each file that would bring back what the policy drops there
 * is a copy with those lines blank or, where such a line is part of something larger, an empty one.
 */
export function standIns(texts: readonly StartupText[], policy: StartupPolicy): StartupFile[] {
  const [theirs, own] = [texts.filter(({ kind }) => kind === 'others'), texts.filter(({ kind }) => kind !== 'others')];
  const files = own.map((file) => ({ ...file, ...new Cutter(file.text ?? '') }));
  const all = new Map(files.map((file) => [file, faultsOf(file, policy)]));
  addTraces(all);
  const everywhere = [...files.flatMap(({ units }) => units), ...theirs.map(asOnePiece)];
  return [
    ...[...all].flatMap(([file, faults]) => standInFor(file, faults, policy, everywhere)),
    ...theirs.flatMap((file) => standInForOthers(file, policy)),
  ];
}

/** What a version manager's file says may call a function too. */
const asOnePiece = ({ text = '' }: StartupText): Unit => ({
  ...{ line: 1, text, code: joined(text), alone: true, construct: 0, comment: false, open: false },
});

type CutFile = StartupText & Pick<Cutter, 'units' | 'sure'>;
type Faults = Map<Unit, Fault[]>;
const CREDENTIAL: Fault = { what: 'holds', name: '' };

function faultsOf({ units, kind }: CutFile, { passes, holdsDropped }: StartupPolicy): Faults {
  const found = units.map((unit): [Unit, Fault[]] => {
    const faults = unit.open ? [] : faultsIn(unit.code, unit.comment ? 'comment' : kind, passes);
    return [unit, holdsDropped(unit.text) || holdsDropped(unit.code) ? [...faults, CREDENTIAL] : faults];
  });
  return new Map(found.filter(([, faults]) => faults.length > 0));
}

/** A name that is exported anywhere can get its value in more ways than a list could hold, and a value may stand twice. */
function addTraces(all: ReadonlyMap<CutFile, Faults>): void {
  const faults = [...all.values()].flatMap((found) => [...found.values()].flat());
  const exported = faults.filter(({ what, instead }) => instead === undefined && /^(?:sets|exports)$/.test(what));
  const names = [...new Set(exported.map(({ name }) => name))];
  const any = names.join('|');
  const given = new RegExp(String.raw`(?<![\w$/.-]|\$\{)(?:${any})(?![\w/.-])|\$\{(?:${any}):?=`);
  const givenIn = ({ comment, open, code }: Unit) =>
    comment || open || !names.some((name) => code.includes(name))
      ? undefined
      : given.exec(withoutHarmless(code))?.[0].replace(/\W/g, '');
  const secrets = faults.flatMap(({ name, value = '' }) => guard.secretsIn(name, value));
  for (const [{ units }, found] of all)
    for (const unit of units.filter((one) => !found.has(one))) {
      const name = givenIn(unit);
      if (name !== undefined) found.set(unit, [{ what: 'sets', name }]);
      else if (secrets.some((secret) => unit.code.includes(secret))) found.set(unit, [CREDENTIAL]);
    }
}

function standInFor(file: CutFile, faults: Faults, policy: StartupPolicy, everywhere: readonly Unit[]): StartupFile[] {
  const { path, shown, text, units, sure } = file;
  const note = (line: number, { name }: Fault, saying: string, hidden: boolean): StartupNote => ({
    ...{ path, file: showBytes(shown as Bytes), line, name: name as Bytes, saying, hidden },
  });
  const empty = (line: number, fault: Fault, saying: string): StartupFile[] => [
    { path, text: '' as Bytes, notes: [note(line, fault, `${saying}: the whole file is left out`, true)] },
  ];
  if (text === undefined) return empty(1, CREDENTIAL, 'is not text of up to 1 MiB');
  const each = [...faults].flatMap(([unit, found]) => found.map((fault) => ({ unit, fault })));
  const run = each.filter(({ fault }) => fault.what === 'runs').map(({ unit }) => unit);
  const apart = (sure && standingApart(run, { pieces: units, everywhere, gives: givesSecret(policy) })) || new Set();
  for (const { unit, fault } of each.filter((one) => !apart.has(one.unit))) {
    if (fault.what === 'runs') return empty(unit.line, fault, sayingOf(fault));
    if (fault.instead === undefined && !(sure && (unit.alone || unit.comment)))
      return empty(unit.line, fault, `${sayingOf(fault)} in a construct of several lines`);
  }
  const copy = units.map((unit) => copied(unit, apart.has(unit) ? [] : faults.get(unit))).join('') as Bytes;
  if (policy.holdsDropped(copy)) return empty(1, CREDENTIAL, sayingOf(CREDENTIAL));
  const notes = each.map(({ unit: { line }, fault }) =>
    note(line, fault, `${sayingOf(fault)}: ${fault.instead ? 'not exported in' : 'left out of'} the copy`, false),
  );
  return notes.length === 0 ? [] : [{ path, text: copy, notes }];
}

/** What is left out leaves its empty lines, so that the others keep their numbers. Comments go too: one may hold an old key. */
function copied({ text, comment }: Unit, faults: readonly Fault[] | undefined): string {
  if (faults === undefined && !comment) return text;
  return (faults?.[0]?.instead ?? '') + text.replace(/[^\n]+/g, '');
}

function sayingOf({ what, name }: Fault): string {
  if (what === 'runs') return 'exports names that only a run can tell';
  return what === 'takes' ? 'takes in a file whose name only a run can tell' : `${what} ${name || 'a credential'}`;
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
const CERTIFICATE =
  /-----BEGIN ((?:TRUSTED )?CERTIFICATE|X509 CRL|PUBLIC KEY)-----\r?\n(?:[A-Za-z0-9+/]{1,76}={0,2}\r?\n){1,999}-----END \1-----[ \t]*\r?(?:\n|$)/y;
const GOES_ON = /(?:&&|\||\(\s{0,9}\)|\bfunction\s{1,9}[^\s(){}]{1,99})\s{0,99}(?:#.{0,999})?$/;
const DEEPEST = 100;

/**
 * Cuts a file into units. This is no parser: it follows quotes, brackets and the words of blocks as far as it takes to see
 * what is open, and is not `sure` as soon as these don't match. In fish an empty block is fine, so its words need no care.
 */
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
  #construct = 0;
  #several = false;
  /** A command may begin here. */
  #begins = true;

  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length && this.#open.length < DEEPEST)
      if (this.#at !== this.#from || !this.#isPlain()) this.#step(this.#open[this.#open.length - 1]);
    this.sure &&= this.#open.length + this.#documents.length === 0;
    this.#at = text.length;
    if (this.#from < text.length) this.#endUnit();
  }

  /** Where a unit begins nothing is open but blocks. */
  #isPlain(): boolean {
    const [line, certificate] = [SILENT, CERTIFICATE].map((whole) => {
      whole.lastIndex = this.#at;
      return whole.exec(this.#text)?.[0];
    });
    const plain = line?.includes('function') ? undefined : (line ?? certificate);
    if (plain === undefined) return false;
    this.#at += plain.length;
    this.#begins = true;
    this.#endUnit(certificate !== undefined);
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
    const leads = this.#begins || word === '{';
    if (BLOCKS.has(word) && leads) this.#push(BLOCKS.get(word));
    else if (this.#begins && ENDS.has(word)) this.sure = false;
    this.#begins = leads && BEFORE_COMMANDS.has(word);
  }

  /** A pattern of `case` has only the second half of a pair. */
  #other(token: string, top: string | undefined): void {
    if ((token === ')' && top !== 'esac') || token === "'") this.sure = false;
    this.#several ||= token.includes('\n');
    this.#begins = /^[;&|)]$/.test(token);
  }

  #newline(): void {
    const within = this.#open.some((closer) => closer === ')' || BRACKETS.has(closer));
    const goesOn = within || GOES_ON.test(this.#text.slice(Math.max(this.#from, this.#at - 1000), this.#at));
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

  #endUnit(open = false): void {
    const text = this.#text.slice(this.#from, this.#at);
    const alone = !this.#several && !this.#inBlock && this.#open.length === 0;
    if (!this.#inBlock) this.#construct += 1;
    const comment = !this.#several && /^\s*#/.test(text);
    const construct = this.#construct;
    this.units.push({ line: this.#line, text, code: joined(text), alone, construct, comment, open });
    this.#line += text.split('\n').length - 1;
    this.#from = this.#at;
    this.#inBlock = this.#open.length > 0;
    this.#several = false;
  }
}

/** Something that must not be seen inside. `runs`: only a run can tell what is exported, and any other line may be about that. */
interface Fault {
  readonly what: 'sets' | 'exports' | 'holds' | 'runs' | 'takes';
  readonly name: string;
  readonly value?: string;
  /** What may stand in the place of the line. */
  readonly instead?: string;
}

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
  String.raw`(?:\beval\s+["']?|${SOURCE})(?:[$<]\(|\`)[^()\`;&|<]{0,200}?(?:(?<=\s)(?:(?:\w+-)?init|completions?|hook|shellenv|env|activate|--alias|--bash|--zsh)|\b(?:dircolors|lesspipe|ssh-agent|locale-check|argcomplete))\b[^()\`;&|<]{0,200}[)\`]["']?`,
  'g',
);
/** Its block keeps in a variable first what `conda … hook` prints. */
const CONDA = /\beval\s+["']?\$__(?:conda|mamba)_setup\b["']?/g;
const RUNS = [
  /(?:^|[;&|({`\n]|\b(?:then|do|else))\s{0,99}\$\{?\w+\}?\s{1,99}[A-Za-z_]\w*=/,
  new RegExp(String.raw`${SOURCE}(?:[<=]\(|/(?:dev|proc)/)`),
];
const TAKEN = new RegExp(String.raw`${SOURCE}(?:\$\(|\`)`);
const EXPORTS_ALL = /\bset\s+(?:[-+]\w+\s+)*-\w*[ak]/;
const ALL_EXPORT = /(?<!unsetopt\s{1,9}|\+o\s{1,9})\ball_?export\b/i;

/** One of these is in whatever the patterns above find. Most lines have none, and a pattern that no line needs is never compiled. */
const TELLING = /["'\\=:]|\S{12}|export|set|exec|eval|source|\.\s|declare|typeset|local|readonly|integer|float/i;
const EXPORTING = /export|set|exec\s+env|(?:declare|typeset|local|readonly|integer|float).*-\w*x/s;
const RUNNING = /eval|source|\.\s|set|export/i;

export const joined = (text: string) => text.replaceAll('\\\n', '');

/** `$env.NAME = "…"` and `load-env { NAME: "…" }` export. What is no text, as settings in braces and closures, never leaves the shell. */
const asShell = (text: string) =>
  text
    .replace(/\$env\.([A-Z_][A-Z0-9_]*)\s*=(?!\s*\{)\s*/g, 'export $1=')
    .replace(/(\bload-env\s*\{.*|^\s*)\b([A-Z_][A-Z0-9_]*)\s*:\s*(?=["'\w])/gm, '$1 export $2=');

/** What is wrong with a piece of code, told from its words alone: too much rather than too little. */
function faultsIn(text: string, kind: StartupKind, passes: StartupPolicy['passes']): Fault[] {
  if (kind !== 'list' && !TELLING.test(text)) return [];
  const code = kind === 'nushell' ? asShell(text) : text;
  const judge = new Judge(passes);
  if (kind === 'comment') judge.assigned(code);
  else if (!judge.loosens(code)) judge.code(code, kind);
  return judge.faults;
}

/** The code without what surely is no trace of a secret. */
const withoutHarmless = (code: string) =>
  code.replace(ASSIGNED, (all, _, word, after) => (after === undefined && guard.isHarmless(word) ? ' ' : all));

const givesSecret =
  ({ passes }: StartupPolicy) =>
  ({ code, comment }: Unit) =>
    !comment &&
    [...withoutHarmless(code.replace(/^\s*alias\s[^;&|\n]*/, '')).matchAll(ASSIGNED)].some(
      ([, name = '', word = '']) => !passes(name as Bytes, word as Bytes),
    );

class Judge {
  readonly faults: Fault[] = [];
  readonly #drops: (name: string, value: string) => boolean;

  constructor(passes: StartupPolicy['passes']) {
    this.#drops = (name, value) => !passes(name as Bytes, guard.literalOf(value) as Bytes);
  }

  /** `export NVM_DIR="$HOME/.nvm"`: the next line needs the value, nobody the export. A prompt is the shell's own. */
  loosens(code: string): boolean {
    const [, indent = '', name = '', value = ''] = LOOSE.exec(code) ?? [];
    const isFit = guard.isHarmless(value) || (PROMPTS.has(name) && guard.isPlainPrompt(value));
    if (name === '' || guard.guardName(name as Bytes) || !isFit || !this.#drops(name, value)) return false;
    this.faults.push({ what: 'exports', name, instead: `${indent}${name}=${value}` });
    return true;
  }

  code(code: string, kind: StartupKind): void {
    const plain = guard.withoutQuotes(code);
    const exports = EXPORTING.test(plain) ? [...code.matchAll(kind === 'fish' ? FISH_EXPORTS : EXPORTS)] : [];
    for (const [, keyword = '', words = ''] of exports) this.#exported(keyword, words);
    const listed = kind === 'list' ? LISTED.exec(code)?.[1] : undefined;
    if (listed !== undefined && this.#drops(listed, '')) this.faults.push({ what: 'sets', name: listed });
    const inPieces = exports.length === 0 && EXPORTING.test(plain) && plain.search(EXPORTS) >= 0;
    if (TAKEN.test(code)) this.faults.push({ what: 'takes', name: '' });
    if (inPieces || runs(code, plain, kind)) this.faults.push({ what: 'runs', name: '' });
    if (plain.includes('set')) this.#set(code);
    this.assigned(code, exports[0]?.index);
  }

  #set(code: string): void {
    for (const [, name = '', value = ''] of code.matchAll(SETS))
      if (guard.isSecret(name, value) && this.#drops(name, value)) this.faults.push({ what: 'holds', name, value });
  }

  /** Names without values, and names that only a run can tell. */
  #exported(keyword: string, text: string): void {
    const all = text.match(new RegExp(`${WORD}+`, 'g')) ?? [];
    const words = all.map(guard.withoutQuotes).filter((word) => !/^[-+]/.test(word));
    const value = words.slice(1).join(' ');
    for (const name of /^set/.test(keyword) ? words.slice(0, 1) : words) {
      if (/^\w*[$`{*?]/.test(name)) this.faults.push({ what: 'runs', name: '' });
      else if (/^[A-Za-z_]\w*$/.test(name) && this.#drops(name, value))
        this.faults.push({ what: 'exports', name, value });
    }
  }

  /** What is assigned; exported if an exporting word stands before it. */
  assigned(code: string, since = Number.POSITIVE_INFINITY): void {
    const rest = code.includes('=') ? this.#withoutPassed(code, since) : code;
    if (this.faults.length === 0 && guard.holdsCredential('', rest)) this.faults.push(CREDENTIAL);
  }

  #withoutPassed(code: string, since: number): string {
    return code.replace(ASSIGNED, (all: string, name: string, word: string, after: string | undefined, at: number) => {
      const value = word + (after ?? '');
      if (!this.#drops(name, value)) return ' ';
      const isCommand = /^(?:\$\(|`)(?!\s*(?:echo|printf|base64))/.test(value);
      if (at > since) this.faults.push({ what: 'sets', name, value });
      else if (!isCommand && guard.isSecret(name, value)) this.faults.push({ what: 'holds', name, value });
      if (/["'\\]/.test(word)) this.assigned(word.replace(/["'\\]/g, ' '), since - at - all.length + word.length);
      return all;
    });
  }
}

const runs = (code: string, plain: string, kind: StartupKind) =>
  (RUNNING.test(plain) || (plain.includes('$') && plain.includes('='))) &&
  (isRun(code, kind) || (plain !== code && isRun(plain, kind)));

function isRun(code: string, kind: StartupKind): boolean {
  const text = (/[$<]\(|`/.test(code) ? code.replace(SET_UP, ' ') : code).replace(CONDA, ' ');
  const evaluated = text.search(/\beval\b/);
  if (evaluated >= 0 && /[$`]/.test(text.slice(evaluated))) return true;
  return RUNS.some((pattern) => pattern.test(text)) || exportsAll(text, kind);
}

/** Every assignment is exported from here on, also those of files that are taken in. */
export const exportsAll = (text: string, kind: StartupKind) =>
  ALL_EXPORT.test(text) || (kind !== 'fish' && EXPORTS_ALL.test(text));

const PROMPTS = new Set(['PS1', 'PS2', 'PS3', 'PROMPT', 'RPROMPT']);
