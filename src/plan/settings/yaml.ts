import { type Judge, refuse } from './judge.ts';

/**
 * The plain part of YAML that programs write their settings in: mappings and lists by indentation, values on one line, blocks of text.
 * Everything else (anchors, tags, nested braces, several documents) is refused, so that a file is never read otherwise than its program
 * reads it.
 */
type YamlValue =
  | { readonly raw: string }
  | { readonly list: readonly YamlValue[] }
  | { readonly map: ReadonlyMap<string, YamlValue> };

interface YamlLine {
  readonly indent: number;
  readonly text: string;
}

/** The text without what `judge` leaves out, written anew. */
export function cleanYaml(text: string, judge: Judge): string {
  const lines = linesOf(text);
  const [first] = lines;
  if (first === undefined) return '';
  const reader = { lines, at: 0 };
  const tree = readNode(reader, first.indent);
  if (reader.at < lines.length) refuse();
  const kept = keptOf(tree, [], judge);
  return kept === undefined ? '' : `${write(kept, 0).replace(/^\n/, '')}\n`;
}

function linesOf(text: string): YamlLine[] {
  const all = text.split(/\r?\n/);
  const firstSaying = all.findIndex((line) => /^[^#\s]/.test(line));
  const isOdd = (line: string, at: number) =>
    /^ *\t/.test(line) || /^(?:\.\.\.|%)/.test(line) || (line.startsWith('---') && at !== firstSaying);
  if (all.some(isOdd)) refuse();
  return all
    .filter((line) => !/^\s*(?:#.*)?$/.test(line) && !/^---\s*(?:#.*)?$/.test(line))
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
}

interface Reader {
  readonly lines: YamlLine[];
  at: number;
}

const ITEM = /^-(?: +|$)/;
const ENTRY =
  /^("[^"\\]*"|'[^']*'|[^\s"'#&*!|>%@`{}[\],?:-][^:#]*?|[^\s"'#&*!|>%@`{}[\],?-][^\s#]*?|-[^\s:#]+|@[^\s:#]+):(?: +(.*))?$/;

function readNode(reader: Reader, indent: number): YamlValue {
  const line = reader.lines[reader.at];
  if (line === undefined || line.indent !== indent) return refuse();
  return ITEM.test(line.text) ? readList(reader, indent) : readMap(reader, indent);
}

/** The next line if it belongs to what stands at this indentation. */
function lineAt({ lines, at }: Reader, indent: number): YamlLine | undefined {
  const line = lines[at];
  if (line !== undefined && line.indent > indent) refuse();
  return line?.indent === indent ? line : undefined;
}

function readList(reader: Reader, indent: number): YamlValue {
  const list: YamlValue[] = [];
  for (let line = lineAt(reader, indent); line !== undefined; line = lineAt(reader, indent)) {
    const marker = ITEM.exec(line.text)?.[0];
    if (marker === undefined) break;
    const rest = line.text.slice(marker.length);
    list.push(
      ENTRY.test(rest) || ITEM.test(rest)
        ? readInner(reader, indent + marker.length, rest)
        : readValue(reader, indent, rest),
    );
  }
  return { list };
}

/** `- key: value`: what follows the dash is a mapping of its own. */
function readInner(reader: Reader, indent: number, text: string): YamlValue {
  reader.lines[reader.at] = { indent, text };
  return readNode(reader, indent);
}

function readMap(reader: Reader, indent: number): YamlValue {
  const map = new Map<string, YamlValue>();
  for (let line = lineAt(reader, indent); line !== undefined; line = lineAt(reader, indent)) {
    const [, key, rest = ''] = ENTRY.exec(line.text) ?? [];
    if (key === undefined || map.has(key)) return refuse();
    map.set(key, readValue(reader, indent, rest));
  }
  return { map };
}

/** What stands behind a key or a dash, or on the lines below it. */
function readValue(reader: Reader, indent: number, text: string): YamlValue {
  reader.at += 1;
  const next = reader.lines[reader.at];
  const rest = text.replace(/^#.*$/, '');
  if (/^[|>][+-]?$/.test(rest)) return readBlock(reader, indent, rest);
  if (rest !== '') return next !== undefined && next.indent > indent ? refuse() : scalar(rest);
  if (next === undefined || next.indent < indent) return { raw: '' };
  if (next.indent === indent) return ITEM.test(next.text) ? readList(reader, indent) : { raw: '' };
  return readNode(reader, next.indent);
}

function readBlock(reader: Reader, indent: number, style: string): YamlValue {
  const lines: string[] = [];
  const first = reader.lines[reader.at]?.indent ?? 0;
  for (let line = reader.lines[reader.at]; line !== undefined && line.indent > indent; line = reader.lines[reader.at]) {
    lines.push(`${' '.repeat(Math.max(0, line.indent - first))}${line.text}`);
    reader.at += 1;
  }
  return { raw: JSON.stringify(lines.join(style.startsWith('|') ? '\n' : ' ')) };
}

const SIMPLE = `(?:"[^"\\\\]*"|'[^']*'|[^\\s"'#&*!|>%@\`{}[\\],?:-][^"'{}[\\],#:]*)`;
const LONGEST_FLOW = 1024;
const FLOW = new RegExp(`^(?:\\{ *\\}|\\[ *(?:${SIMPLE}(?: *, *${SIMPLE})*)? *\\])$`);

function scalar(text: string): YamlValue {
  const quoted = /^(?:"(?:[^"\\]|\\["\\/nrt])*"|'(?:[^']|'')*')/.exec(text)?.[0];
  if (quoted !== undefined) return /^(?:$| +#)/.test(text.slice(quoted.length)) ? { raw: quoted } : refuse();
  const comment = text.indexOf(' #');
  const plain = comment < 0 ? text : text.slice(0, comment).trimEnd();
  if (plain.length <= LONGEST_FLOW && FLOW.test(plain)) return { raw: plain };
  return /^["'#&*!|>%@`{}[\],]/.test(plain) || /: |:$/.test(plain) ? refuse() : { raw: plain };
}

function keptOf(node: YamlValue, path: readonly string[], judge: Judge): YamlValue | undefined {
  if ('raw' in node) {
    const value = judge(path, node.raw);
    return value === undefined ? undefined : { raw: value };
  }
  if ('list' in node) return { list: node.list.flatMap((one) => keptOf(one, path, judge) ?? []) };
  const entries = [...node.map].flatMap(([key, one]) => {
    const kept = keptOf(one, [...path, key.replace(/^["']|["']$/g, '')], judge);
    return kept === undefined || judge(['section'], key) !== key ? [] : [[key, kept] as const];
  });
  return { map: new Map(entries) };
}

function write(node: YamlValue, depth: number): string {
  if ('raw' in node) return node.raw;
  const before = `\n${'  '.repeat(depth)}`;
  if ('list' in node)
    return node.list.length === 0
      ? '[]'
      : node.list.map((one) => `${before}- ${write(one, depth + 1).trimStart()}`).join('');
  if (node.map.size === 0) return '{}';
  return [...node.map].map(([key, one]) => `${before}${key}:${behind(write(one, depth + 1))}`).join('');
}

const behind = (text: string) => (text === '' || text.startsWith('\n') ? text : ` ${text}`);
