import { dirname, extname, join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { readTrustedText } from '../policy/load/read-file.ts';
import { Source } from '../policy/load/source.ts';
import type { Secret } from '../secrets/secret.ts';
import { Draft, type DraftProfile, quoted } from './draft.ts';
import type { Row } from './fate.ts';
import { claude } from './from/claude.ts';
import { codex } from './from/codex.ts';
import { compose, devcontainer } from './from/containers.ts';
import { envFile } from './from/env-file.ts';
import { firejail } from './from/firejail.ts';
import { gemini } from './from/gemini.ts';
import { FORMATS, type Importer, type ImportFormat, type Input, type Syntax } from './from/importer.ts';
import { nono } from './from/nono.ts';
import { ag3ntum, ixt, names } from './from/small.ts';
import { srt } from './from/srt.ts';
import { entriesAt, type Json, jsonOf } from './json.ts';

interface ImportOptions {
  readonly env: ParentEnv;
  readonly home: string | undefined;
  /** What the file is, where its contents don't tell. */
  readonly format?: ImportFormat | undefined;
  readonly only?: string | undefined;
}

export interface Imported {
  readonly path: string;
  readonly format: ImportFormat;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly profile: DraftProfile;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** What a policy of another tool comes to. Pure but for reading the file, and what lies beside it when it builds on that. */
export async function importFile(path: string, { env, home, format, only }: ImportOptions): Promise<Imported> {
  const asked = format === undefined ? undefined : importerFor(format);
  const { text, data } = await readSource(path, asked);
  const importer = asked ?? onlyOne(recognise({ path, text, data }), path);
  const draft = new Draft();
  const beside = (name: string) => readBeside(path, name);
  await importer.read({ path, text, data, env, home, only, beside } satisfies Input, draft);
  const { rows, profile, secrets } = draft;
  refuseNothingKnown(importer, { path, text, data }, rows);
  return {
    path,
    format: importer.format,
    title: importer.title,
    rows: [...rows, ...alwaysRows(profile)],
    profile,
    secrets,
  };
}

/** Most formats pass everything where nothing is said, so a file that is none of theirs would be the most open policy there is. */
function refuseNothingKnown(importer: Importer, input: Pick<Input, 'path' | 'text' | 'data'>, rows: readonly Row[]) {
  const { title, syntax, needs, holdsAny } = importer;
  const unknown = rows.filter(({ needsAccept }) => needsAccept).map(({ key }) => key);
  const keys = entriesAt(input.data).map(([key]) => key);
  const isKnown =
    holdsAny?.(input) ??
    (needs === undefined ? keys.some((key) => !unknown.includes(quoted(key))) : keys.includes(needs));
  if (isKnown) return;
  const expected = needs === undefined ? `${syntax} with keys that it knows` : `${syntax} with the key ${needs}`;
  throw refusal(
    input.path,
    `nothing in this file is known as ${title}`,
    syntax === 'lines'
      ? 'look whether it is the right file, and the right --as'
      : `${expected} was expected; look whether it is the right file, and the right --as`,
  );
}

/** What Cordon adds to every policy, in whichever language it was written. */
function alwaysRows({ environment }: DraftProfile): Row[] {
  if (environment.base === 'none' && environment.allow_patterns === undefined) return [];
  const note = 'never pass, whatever a policy says: they make programs run other code, or are Cordon’s own';
  return [{ key: '(LD_PRELOAD, NODE_OPTIONS …)', fate: 'narrower', note: note.replace('’', "'") }];
}

function onlyOne([first, ...more]: readonly Importer[], path: string): Importer {
  if (first === undefined)
    throw refusal(path, 'no tool is known whose policy this file could be', `give --as FORMAT: ${FORMATS.join(', ')}`);
  if (more.length === 0) return first;
  const could = [first, ...more].map(({ format }) => format);
  throw refusal(path, `this could be a file of ${could.join(' or of ')}`, `say which: --as ${could[0]}`);
}

const refusal = (where: string, message: string, hint: string) => new CordonError('import', message, { where, hint });

async function readSource(path: string, asked?: Importer): Promise<{ text: string; data: Json | undefined }> {
  const { text } = readTrustedText(path);
  if (text.trim() === '') throw refusal(path, 'the file is empty', 'there is nothing to take over');
  return { text, data: await parse(path, text, asked) };
}

/** What is broken is refused, and never quoted: other tools' files have secrets in them. */
async function parse(path: string, text: string, asked: Importer | undefined): Promise<Json | undefined> {
  const source = new Source(path, text);
  const syntax = asked === undefined || asked.syntax === 'lines' ? likely(path, text) : asked.syntax;
  try {
    if (syntax === 'TOML') return jsonOf((await import('../policy/load/toml.ts')).readToml(source));
    if (syntax === 'YAML') return jsonOf((await import('../policy/load/yaml.ts')).readYaml(source));
    if (syntax === 'JSON') return jsonOf((await import('../policy/load/jsonc.ts')).readJsonc(source));
    return undefined;
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    throw new CordonError('import', asked === undefined ? 'the file is broken' : `the file is not ${syntax}`, {
      where: error.where,
      hint:
        asked === undefined
          ? 'its own tool would refuse it, too'
          : `${asked.title} reads ${syntax}; is --as ${asked.format} right?`,
    });
  }
}

/** How a file is written that nobody told the format of. */
function likely(path: string, text: string): Syntax {
  const extension = extname(path).toLowerCase();
  if (extension === '.toml') return 'TOML';
  if (['.yaml', '.yml'].includes(extension)) return 'YAML';
  return ['.json', '.jsonc'].includes(extension) || /^\s*(?:\/[/*][\s\S]*?)?[{[]/.test(text) ? 'JSON' : 'lines';
}

/** A base by its name or relative path, never from anywhere else. */
async function readBeside(path: string, name: string): Promise<Json | undefined> {
  if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) return undefined;
  for (const candidate of [name, `${name}.json`, `${name}.jsonc`]) {
    const file = join(dirname(path), candidate);
    try {
      return (await readSource(file)).data;
    } catch (error) {
      if (!(error instanceof CordonError)) throw error;
    }
  }
  return undefined;
}

/** In the order they are asked: what has words of its own first, what is only lines last. */
const IMPORTERS: readonly Importer[] = [
  codex,
  gemini,
  claude,
  srt,
  ixt,
  ag3ntum,
  devcontainer,
  compose,
  nono,
  firejail,
  envFile,
  names,
];

export const importerFor = (format: ImportFormat): Importer =>
  IMPORTERS.find((one) => one.format === format) as Importer;

/** All that a file could be: more than one is a mixed file, and somebody has to say. */
function recognise(input: Pick<Input, 'path' | 'text' | 'data'>): Importer[] {
  const strong = IMPORTERS.filter((one) => one.recognises(input));
  const byLines = ['firejail', 'env-file', 'names'];
  const structured = strong.filter(({ format }) => !byLines.includes(format));
  return structured.length > 0 ? structured : strong.slice(0, 1);
}
