// Which keys of a tool's own schema `cordon import` does not know: node scripts/schema-keys.mjs srt|gemini|FORMAT FOLDER-OR-FILE
// srt and gemini take the folder of the npm package (@anthropic-ai/sandbox-runtime, @google/gemini-cli), whose code has the schema; claude its
// program (@anthropic-ai/claude-code-linux-x64), or a JSON Schema as codex and nono publish it. Of a section that is passed over as a whole
// nothing below it is looked at.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import './ts.mjs';

const { Draft } = await import('../src/exchange/draft.ts');
const { importerFor } = await import('../src/exchange/import.ts');
const { ParentEnv } = await import('../src/host/parent-env.ts');

/** Zod: what it is wrapped in comes off first. */
function keysOfZod(schema, way = []) {
  let bare = schema;
  for (let inner = bare; inner !== undefined; inner = bare?._def?.innerType ?? bare?._def?.schema) bare = inner;
  const shape = typeof bare?.shape === 'function' ? bare.shape() : bare?.shape;
  return Object.entries(shape ?? {}).flatMap(([key, value]) => [[...way, key], ...keysOfZod(value, [...way, key])]);
}

async function srtKeys(folder) {
  const file = join(resolve(folder), 'dist/sandbox/sandbox-config.js');
  return keysOfZod((await import(pathToFileURL(file).href)).SandboxRuntimeConfigSchema);
}

const BEGINS = 'var SETTINGS_SCHEMA = ';

/** The table in its bundle is plain data but for some names, of which nothing is needed. */
function geminiKeys(folder) {
  const bundle = join(folder, 'bundle');
  const texts = readdirSync(bundle).flatMap((name) =>
    name.endsWith('.js') ? readFileSync(join(bundle, name), 'utf8') : [],
  );
  const text = texts.find((one) => one.includes(BEGINS));
  const from = text.indexOf(BEGINS) + BEGINS.length;
  const any = new Proxy(() => any, { get: (_, key) => (key === Symbol.toPrimitive ? () => '' : any) });
  const names = new Proxy({}, { has: () => true, get: (_, key) => (key === Symbol.unscopables ? undefined : any) });
  const table = vm.runInContext(`(${text.slice(from, text.indexOf('\n};', from) + 2)})`, vm.createContext(names));
  const walk = (level, way) =>
    Object.entries(level).flatMap(([key, value]) => [
      [...way, key],
      ...(typeof value?.properties === 'object' ? walk(value.properties, [...way, key]) : []),
    ]);
  return walk(table, []);
}

/** A key of each section, and the way to that section: where it stands, its neighbours are the other keys. */
const CLAUDE_SECTIONS = [
  ['apiKeyHelper:()=>', []],
  ['disableBypassPermissionsMode:', ['permissions']],
  ['autoAllowBashIfSandboxed:', ['sandbox']],
  ['allowUnixSockets:', ['sandbox', 'network']],
  ['allowManagedReadPathsOnly:', ['sandbox', 'filesystem']],
  ['allowPlaintextInject:', ['sandbox', 'credentials']],
];

/** The program holds its own code as text; the schema is a function for every key, or a call. */
function claudeKeys(program) {
  const bytes = readFileSync(program);
  const around = bytes.indexOf(CLAUDE_SECTIONS[0][0]);
  const text = bytes.subarray(around - 400_000, around + 400_000).toString('latin1');
  return CLAUDE_SECTIONS.flatMap(([key, way]) =>
    keysOfObject(text, openingBefore(text, text.indexOf(key))).map((one) => [...way, one]),
  );
}

function openingBefore(text, from) {
  let depth = 0;
  for (let i = from; i > 0; i--) {
    if ('}])'.includes(text[i])) depth++;
    else if ('{[('.includes(text[i]) && depth-- === 0) return i;
  }
  throw new Error('this is not the program of Claude Code');
}

const STRING = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|\$\{(?:`[^`]*`|[^}`])*\}|[^`\\])*`/;
const REGEX = /(?<=[(,=:[!&|?{};])\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+\//;
const KEY = /(?<=[{,])[A-Za-z_$][\w$]*(?=:)/;
const TOKEN = new RegExp(`${STRING.source}|${REGEX.source}|${KEY.source}|,\\.\\.\\.|[{}[\\](),]`, 'g');

/** The keys of an object literal, with those of objects that are spread into it. */
function keysOfObject(text, opening) {
  const keys = [];
  let [depth, isSpread] = [0, false];
  for (const [token] of text.slice(opening).matchAll(TOKEN)) {
    if ('{[('.includes(token)) depth++;
    if ('}])'.includes(token) && --depth === 0) break;
    if (depth === 1 && token.startsWith(',')) isSpread = token !== ',';
    if (/^[\w$]/.test(token) && (depth === 1 || (depth === 2 && isSpread))) keys.push(token);
  }
  return keys;
}

function jsonSchemaKeys(file) {
  const root = JSON.parse(readFileSync(file, 'utf8'));
  const walk = (schema, way, seen) => {
    const parts = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    return parts.flatMap((part) => {
      if (typeof part.$ref === 'string' && !seen.includes(part.$ref)) {
        const target =
          part.$ref
            .slice(2)
            .split('/')
            .reduce((at, key) => at?.[key], root) ?? {};
        return walk(target, way, [...seen, part.$ref]);
      }
      return Object.entries(part.properties ?? {}).flatMap(([key, value]) => [
        [...way, key],
        ...walk(value === true ? {} : value, [...way, key], seen),
      ]);
    });
  };
  return walk(root, [], []);
}

/** Whether a row for this very key says that it is not known, whatever kind of value it has. */
async function isUnknown(format, way) {
  for (const value of [{}, [], 'x', true, 'core', 'read-only', ':workspace'])
    if (!(await isUnknownWith(format, way, value))) return false;
  return true;
}

async function isUnknownWith(format, way, value) {
  const draft = new Draft();
  const data = way.reduceRight((inner, key) => ({ [key]: inner }), value);
  const env = ParentEnv.fromBlock(Buffer.from(''));
  const input = { path: '', text: '', data, env, home: '/home/u', only: undefined, beside: async () => undefined };
  await importerFor(format).read(input, draft);
  return draft.rows.some(({ key, note }) => key === way.join('.') && /does not know this key/.test(note ?? ''));
}

const [format, where] = process.argv.slice(2);
const isProgram = format === 'claude' && !where.endsWith('.json');
const read = { srt: srtKeys, gemini: geminiKeys }[format] ?? (isProgram ? claudeKeys : jsonSchemaKeys);
const ways = await read(where);
const leaves = ways.filter(
  (way) => !ways.some((other) => other.length > way.length && way.every((key, i) => other[i] === key)),
);
const unknown = [];
for (const way of leaves) if (await isUnknown(format, way)) unknown.push(way.join('.'));
console.log(`${format}: ${leaves.length} keys, ${unknown.length} unknown`);
for (const key of [...new Set(unknown)]) console.log(`  ${key}`);
