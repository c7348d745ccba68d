import type { AST } from 'toml-eslint-parser';
import { CordonError } from '../../host/errors.ts';
import { type Document, isPrefix, type KeyPath, pairAt, parseDocument } from './document.ts';
import { appendedHeader, insertions, withItems, withoutItem, withoutOne } from './list-edits.ts';
import { listLiteral, textLiteral } from './literal.ts';
import { spliced } from './splice.ts';

/**
 * Edits of a TOML text that leave everything else as it is written. An edit proposes texts; the first one is taken that parses, says
 * exactly what was meant and has every comment it had before, in the same order. So no edit can spoil a file, whatever its style.
 */
export class TomlEditor {
  readonly #name: string;
  #doc: Document;

  constructor(text: string, name: string) {
    this.#name = name;
    this.#doc = parseDocument(text, name);
  }

  get text(): string {
    return this.#doc.text;
  }

  has(path: KeyPath): boolean {
    return [...this.#doc.pairs, ...this.#doc.headers].some((one) => isPrefix(path, one.path));
  }

  /** The text that is written there, if it is one. */
  textAt(path: KeyPath): string | undefined {
    const value = pairAt(this.#doc, path)?.node.value;
    return value?.type === 'TOMLValue' && value.kind === 'string' ? value.value : undefined;
  }

  /** The texts of a list. */
  itemsAt(path: KeyPath): string[] {
    const list = this.#list(path);
    return list === undefined ? [] : itemsOf(list);
  }

  /** An empty table, so that the name is known. */
  ensureTable(path: KeyPath): void {
    if (this.has(path)) return;
    const meant = meaningOf(this.#doc);
    this.#take(path, [appendedHeader(this.#doc, path), ...insertions(this.#doc, path, '{}')], meant);
  }

  setText(path: KeyPath, text: string): void {
    const value = pairAt(this.#doc, path)?.node.value;
    const literal = textLiteral(text);
    const texts =
      value === undefined
        ? insertions(this.#doc, path, literal)
        : [spliced(this.#doc.text, [{ start: value.range[0], end: value.range[1], text: literal }])];
    this.#take(path, texts, withMeaning(meaningOf(this.#doc), path, meaningOfText(text)));
  }

  /** A number, or true or false. */
  setPlain(path: KeyPath, plain: number | boolean): void {
    const value = pairAt(this.#doc, path)?.node.value;
    const literal = String(plain);
    const texts =
      value === undefined
        ? insertions(this.#doc, path, literal)
        : [spliced(this.#doc.text, [{ start: value.range[0], end: value.range[1], text: literal }])];
    this.#take(path, texts, withMeaning(meaningOf(this.#doc), path, meaningOfPlain(plain)));
  }

  /** Adds what is not in the list yet. */
  addItems(path: KeyPath, texts: readonly string[]): void {
    const list = this.#list(path);
    const present = this.itemsAt(path);
    const fresh = [...new Set(texts)].filter((text) => !present.includes(text));
    if (fresh.length === 0) return;
    const proposals =
      list === undefined ? insertions(this.#doc, path, listLiteral(fresh)) : [withItems(this.#doc, list, fresh)];
    this.#take(path, proposals, withMeaning(meaningOf(this.#doc), path, meaningOfList([...present, ...fresh])));
  }

  /** A list, and be it empty. */
  ensureList(path: KeyPath): void {
    if (this.#list(path) !== undefined) return;
    const meant = withMeaning(meaningOf(this.#doc), path, meaningOfList([]));
    this.#take(path, insertions(this.#doc, path, '[]'), meant);
  }

  /** Leaves of a list only what `keep` names. */
  keepItems(path: KeyPath, keep: readonly string[]): void {
    for (;;) {
      const list = this.#list(path);
      const present = this.itemsAt(path);
      const index = present.findIndex((text) => !keep.includes(text));
      if (list === undefined || index === -1) return;
      const meant = withMeaning(meaningOf(this.#doc), path, meaningOfList(present.toSpliced(index, 1)));
      this.#take(path, [withoutItem(this.#doc, list, index)], meant);
    }
  }

  /** An empty table as a value, `"PATTERN" = {}`. */
  ensureEntry(path: KeyPath): void {
    if (this.has(path)) return;
    this.#take(path, insertions(this.#doc, path, '{}'), meaningOf(this.#doc));
  }

  remove(path: KeyPath): void {
    const meant = withoutMeaning(meaningOf(this.#doc), path);
    let text = withoutOne(this.#doc, path);
    const { comments } = this.#doc;
    while (text !== undefined) {
      this.#doc = parseDocument(text, this.#name);
      text = withoutOne(this.#doc, path);
    }
    if (!isSameMeaning(meaningOf(this.#doc), meant, path) || !isSameComments(this.#doc, comments))
      throw this.#refusal(path);
  }

  #list(path: KeyPath): AST.TOMLArray | undefined {
    const value = pairAt(this.#doc, path)?.node.value;
    return value?.type === 'TOMLArray' ? value : undefined;
  }

  #take(path: KeyPath, texts: readonly string[], meant: Meaning): void {
    const { comments } = this.#doc;
    for (const text of texts) {
      const doc = this.#tryParse(text);
      if (doc === undefined || !isSameMeaning(meaningOf(doc), meant, path) || !isSameComments(doc, comments)) continue;
      this.#doc = doc;
      if (this.has(path)) return;
    }
    throw this.#refusal(path);
  }

  #tryParse(text: string): Document | undefined {
    try {
      return parseDocument(text, this.#name);
    } catch {
      return undefined;
    }
  }

  #refusal(path: KeyPath): CordonError {
    return new CordonError('policy', `${path.join('.')} cannot be changed without touching the rest of the file`, {
      where: this.#name,
      hint: 'change it by hand: the file is written in a way that leaves no safe place for the change',
    });
  }
}

function itemsOf(list: AST.TOMLArray): string[] {
  return list.elements.map((item) => (item.type === 'TOMLValue' && item.kind === 'string' ? item.value : ''));
}

function isSameComments({ comments }: Document, before: Document['comments']): boolean {
  return comments.length === before.length && comments.every(({ value }, i) => value === before[i]?.value);
}

/** What a file says, without how: every value by its way, so that two texts can be compared. Empty tables count too. */
type Meaning = ReadonlyMap<string, string>;

const TABLE = 'table';

function meaningOf({ pairs, headers }: Document): Meaning {
  const meaning = new Map<string, string>();
  for (const { path } of headers) for (let i = 1; i <= path.length; i++) meaning.set(wayOf(path.slice(0, i)), TABLE);
  for (const { path, node } of pairs) {
    for (let i = 1; i < path.length; i++) meaning.set(wayOf(path.slice(0, i)), TABLE);
    meaning.set(wayOf(path), meaningOfValue(node.value));
  }
  return meaning;
}

const wayOf = (path: KeyPath) => JSON.stringify(path);

function meaningOfValue(node: AST.TOMLContentNode): string {
  if (node.type === 'TOMLInlineTable') return TABLE;
  if (node.type === 'TOMLArray') return JSON.stringify(node.elements.map(meaningOfValue));
  return node.kind === 'string' ? meaningOfText(node.value) : `${node.kind} ${String(node.value)}`;
}

const meaningOfText = (text: string) => `string ${text}`;
const meaningOfPlain = (plain: number | boolean) => `${typeof plain === 'number' ? 'integer' : 'boolean'} ${plain}`;
const meaningOfList = (texts: readonly string[]) => JSON.stringify(texts.map(meaningOfText));

function withMeaning(meaning: Meaning, path: KeyPath, value: string): Meaning {
  const next = new Map(meaning);
  for (let i = 1; i < path.length; i++) next.set(wayOf(path.slice(0, i)), TABLE);
  return next.set(wayOf(path), value);
}

function withoutMeaning(meaning: Meaning, path: KeyPath): Meaning {
  return new Map([...meaning].filter(([way]) => !isPrefix(path, JSON.parse(way) as string[])));
}

/** On the way to `path` and below it a table that nothing is left in may be there or not; elsewhere nothing may differ. */
function isSameMeaning(one: Meaning, other: Meaning, path: KeyPath): boolean {
  const touched = (way: string) => isRelated(path, JSON.parse(way) as string[]);
  const settled = (meaning: Meaning) => [...meaning].filter(([way, value]) => value !== TABLE || !touched(way));
  const [left, right] = [settled(one), new Map(settled(other))];
  return left.length === right.size && left.every(([way, value]) => right.get(way) === value);
}

const isRelated = (one: KeyPath, other: KeyPath) => isPrefix(one, other) || isPrefix(other, one);
