import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  parseAllDocuments,
  parseDocument,
  type YAMLError,
  type Node as YamlNode,
} from 'yaml';
import { withoutQuotes, wordsOfBrokenLine } from './frame.ts';
import { DEEPEST, type Entry, type Node, type Place, type Scalar } from './node.ts';
import { refuse } from './problems.ts';
import type { Source } from './source.ts';
import { DEEPEST_FOR_PARSERS, refuseDepth, withinStack } from './too-deep.ts';

/** Enough for every honest use of anchors; a file that multiplies itself by them ends here. */
const MOST_BY_ALIAS = 10_000;

export interface YamlOptions {
  /** Files of other programs may have tags that only those know. */
  readonly foreignTags?: boolean;
  /** Several documents in one file are a list of them. */
  readonly documents?: boolean;
}

/** One YAML 1.2 document with the core schema: `yes` is text, tags and merge keys mean nothing. */
export function readYaml(source: Source, { foreignTags = false, documents = false }: YamlOptions = {}): Node {
  withinStack(source, () => refuseDeepTree(source));
  const document = withinStack(source, () => parseDocument(source.text, PARSING));
  if (documents && document.errors[0]?.code === 'MULTIPLE_DOCS') return readDocuments(source, foreignTags);
  const [problem] = [...document.errors, ...(foreignTags ? [] : document.warnings)];
  if (problem !== undefined) return syntaxError(source, problem);
  if (document.contents === null)
    return refuse(source, { start: 0, end: 1 }, 'there is nothing but comments in this file');
  return new Converter(source, document as Document.Parsed).convert(document.contents as YamlNode, 0, false);
}

/** Of what the first pass finds, which calls itself nowhere. */
function refuseDeepTree(source: Source): void {
  const waiting: [CST.Token, number][] = [...new Parser().parse(source.text)].map((token) => [token, 0]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [token, depth] = next;
    if (depth > DEEPEST_FOR_PARSERS) refuseDepth(source, { start: token.offset, end: token.offset + 1 });
    for (const inner of innerTokens(token)) waiting.push([inner, depth + 1]);
  }
}

function innerTokens(token: CST.Token): CST.Token[] {
  const within = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
  const all = token.type === 'document' ? [token.value] : within;
  return all.filter((one) => one !== undefined && one !== null);
}

const PARSING = {
  prettyErrors: false,
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
} as const;

/** Those with nothing but comments are left out, as tools that print several leave them. */
function readDocuments(source: Source, foreignTags: boolean): Node {
  const found = withinStack(source, () => parseAllDocuments(source.text, PARSING));
  const documents = (Array.isArray(found) ? found : []).filter(({ contents }) => contents !== null);
  const items = documents.map((document) => {
    const [problem] = [...document.errors, ...(foreignTags ? [] : document.warnings)];
    if (problem !== undefined) return syntaxError(source, problem);
    return new Converter(source, document as Document.Parsed).convert(document.contents as YamlNode, 0, false);
  });
  return { kind: 'list', place: { start: 0, end: 1 }, items };
}

class Converter {
  readonly #source: Source;
  readonly #document: Document.Parsed;
  #byAlias = 0;

  constructor(source: Source, document: Document.Parsed) {
    this.#source = source;
    this.#document = document;
  }

  convert(node: YamlNode, depth: number, aliased: boolean): Node {
    const place = placeOf(node);
    if (depth > DEEPEST) return refuseDepth(this.#source, place);
    if (aliased && ++this.#byAlias > MOST_BY_ALIAS) return this.#explosion(place);
    if (isAlias(node)) return this.convert(this.#target(node, place), depth + 1, true);
    if (isSeq(node))
      return {
        kind: 'list',
        place,
        items: node.items.map((item) => this.convert(item as YamlNode, depth + 1, aliased)),
      };
    if (isMap(node)) this.#refuseTwice(node.items);
    if (isMap(node))
      return { kind: 'map', place, entries: node.items.map((pair) => this.#entry(pair, depth + 1, aliased)) };
    return { kind: 'scalar', place, value: isScalar(node) ? (node.value as Scalar) : null };
  }

  #refuseTwice(pairs: readonly Pair[]): void {
    const seen = new Set<unknown>();
    for (const { key } of pairs) {
      const name = isScalar(key) ? key.value : key;
      if (seen.has(name))
        refuse(this.#source, placeOf(key as YamlNode), 'this key is written twice', {
          hint: 'keep one of them',
          code: 'twice',
        });
      seen.add(name);
    }
  }

  #target(alias: Extract<YamlNode, { source: string }>, place: Place): YamlNode {
    const target = alias.resolve(this.#document);
    return target ?? refuse(this.#source, place, `not valid YAML: no anchor &${alias.source} comes before this`);
  }

  #entry({ key, value }: Pair, depth: number, aliased: boolean): Entry {
    const keyPlace = placeOf(key as YamlNode);
    const name = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string')
      return refuse(this.#source, keyPlace, 'a key must be text', { hint: 'put it in quotes' });
    const empty: Node = { kind: 'scalar', place: keyPlace, value: null };
    return { key: name, keyPlace, value: value === null ? empty : this.convert(value as YamlNode, depth, aliased) };
  }

  #explosion(place: Place): never {
    const hint = 'write the values out, without anchors';
    return refuse(this.#source, place, `aliases multiply this file to more than ${MOST_BY_ALIAS} values`, { hint });
  }
}

function placeOf(node: YamlNode | null): Place {
  const [start, end] = node?.range ?? [0, 1];
  return { start, end: Math.max(end, start + 1) };
}

function syntaxError(source: Source, { code, message, pos }: YAMLError): never {
  const place = { start: pos[0], end: Math.max(pos[1], pos[0] + 1) };
  if (code === 'RESOURCE_EXHAUSTION') return refuseDepth(source, place);
  return refuse(source, place, `not valid YAML: ${withoutQuotes(message)}`, {
    hide: wordsOfBrokenLine(source, place.start),
  });
}
