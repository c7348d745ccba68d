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
const CODE = new RegExp(
  String.raw`<<<|<<-?[ \t]*["'\\]?(?<document>[\w.!@%+-]+)|(?<blank>(?<![^\s;&|(])#.*|[ \t]+|\\\n)|\\[\s\S]|'[^']*'` +
    String.raw`|(?<keyword>(?<![^\s;&|()\`])(?:${KEYWORDS})(?![^\s;&|()\`]))|\$'(?:[^'\\]|\\[\s\S])*'` +
    String.raw`|\$?\(|\$\{|[;&|"'\`)\n]|[^\s;&|()<>"'\`\\$]+|[\s\S]`,
  'y',
);
const TEXT = /\\[\s\S]|\$\(|\$\{|["`}\n]|[^\\$"`}\n]+|[\s\S]/y;
const GOES_ON = /(?:&&|\||\(\s{0,9}\)|\bfunction\s{1,9}[^\s(){}]{1,99})\s{0,99}(?:#.{0,999})?$/;
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
    while (this.#at < text.length && this.#open.length < DEEPEST) this.#step(this.#open.at(-1));
    this.sure &&= this.#open.length + this.#documents.length === 0;
    this.#at = text.length;
    if (this.#from < text.length) this.#endUnit();
  }

  #step(top: string | undefined): void {
    const tokens = top === '"' || top === '${' ? TEXT : CODE;
    tokens.lastIndex = this.#at;
    const match = tokens.exec(this.#text);
    const [token = ' ', groups = {}] = [match?.[0], match?.groups];
    this.#at += token.length;
    if (token === '\n') this.#newline();
    else if (token === top || (token === '}' && top === '${')) this.#close(token);
    else if (BRACKETS.has(token)) this.#push(BRACKETS.get(token));
    else if (groups.document !== undefined) this.#documents.push(groups.document);
    else if (groups.keyword !== undefined) this.#keyword(token);
    else if (tokens === CODE && groups.blank === undefined) this.#other(token, top);
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
