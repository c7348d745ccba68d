import { type LeftOver, leftOversIn } from '../broker/known-placeholders.ts';
import { CordonError } from '../host/errors.ts';
import { Source } from '../policy/load/source.ts';
import { type Finding, Findings, inOrder, type Report, type Trouble } from './finding.ts';
import { checkAllowlist, checkBuiltInAllowlist } from './kinds/allowlist.ts';
import { checkCompose } from './kinds/compose.ts';
import { checkBuiltInAdapters, checkConfig } from './kinds/config.ts';
import { checkDockerfile } from './kinds/dockerfile.ts';
import { checkEnvList } from './kinds/env-list.ts';
import { type CheckedFile, type Checker, type CheckOptions, KINDS, type Kind } from './kinds/kind.ts';
import { checkManifest } from './kinds/manifest.ts';
import { checkPackage } from './kinds/package.ts';
import { checkProfile } from './kinds/profile.ts';
import { checkSecrets } from './kinds/secrets.ts';
import { checkSettings } from './kinds/settings.ts';
import { checkWorkflow } from './kinds/workflow.ts';
import { kindByContent, kindByName, parseText, readText } from './read.ts';
import { silence } from './silence.ts';
import { placeOf } from './whereabouts.ts';

const CHECKERS: Readonly<Record<Kind, Checker>> = {
  profile: checkProfile,
  config: checkConfig,
  secrets: checkSecrets,
  allowlist: checkAllowlist,
  'env-list': checkEnvList,
  workflow: checkWorkflow,
  dockerfile: checkDockerfile,
  compose: checkCompose,
  manifest: checkManifest,
  settings: checkSettings,
  package: checkPackage,
};

interface FileOutcome {
  readonly file: string;
  readonly kind?: Kind;
  readonly said: readonly Finding[];
  readonly silenced: readonly Finding[];
  readonly trouble?: Trouble;
}

export interface CheckRequest extends CheckOptions {
  readonly files: readonly string[];
  /** What all of them are, when their names don't tell. */
  readonly kind?: Kind | undefined;
}

/** Every file by itself: what is wrong with one keeps no other from being checked. */
export async function checkFiles({ files, kind, ...options }: CheckRequest): Promise<Report> {
  const outcomes: FileOutcome[] = [checkOwnLists()];
  for (const file of onceEach(files)) outcomes.push(await checkFile(file, kind, options));
  return {
    files: outcomes.flatMap(({ file, kind: found }) => (found === undefined ? [] : [{ file, kind: found }])),
    findings: outcomes.flatMap(({ said }) => said).toSorted(inOrder),
    silenced: outcomes.flatMap(({ silenced }) => silenced).toSorted(inOrder),
    troubles: outcomes.flatMap(({ trouble }) => (trouble === undefined ? [] : [trouble])),
  };
}

/** However a file is spelled. */
function onceEach(files: readonly string[]): string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const place = placeOf(file);
    const isNew = !seen.has(place);
    seen.add(place);
    return isNew;
  });
}

/** What is built in is held to the same rules. */
function checkOwnLists(): FileOutcome {
  const allowlist = new Findings(new Source('built-in sandbox allowlist'));
  checkBuiltInAllowlist(allowlist);
  const adapters = new Findings(new Source('built-in agents'));
  checkBuiltInAdapters(adapters);
  return { file: 'built-in', said: [...allowlist.list(), ...adapters.list()], silenced: [] };
}

async function checkFile(path: string, forced: Kind | undefined, options: CheckOptions): Promise<FileOutcome> {
  try {
    return await examine(path, forced, options);
  } catch (error) {
    return { file: path, said: [], silenced: [], trouble: troubleOf(path, error) };
  }
}

async function examine(path: string, forced: Kind | undefined, options: CheckOptions): Promise<FileOutcome> {
  const { text: written, stats } = readText(path);
  const leftOvers = leftOversIn(written, options.state);
  const text = covered(written, leftOvers);
  const source = new Source(path, text);
  const named = forced ?? kindByName(path);
  const root = isEmpty(text) ? undefined : await parsed(path, source, named);
  const kind = named ?? kindByContent(path, root);
  if (kind === undefined) throw unknownKind(path);
  if (kind === 'profile' && root === undefined) throw emptyProfile(path);
  const findings = new Findings(source);
  for (const place of leftOvers)
    findings.add('left-over-placeholder', place, { message: 'a placeholder of a brokered launch was left here' });
  const file = { path, source, mode: stats.mode, root, findings, options };
  const trouble = isEmpty(text) ? undefined : await checkAs(kind, file);
  return { file: path, kind, ...silence(source, findings.list()), ...(trouble === undefined ? {} : { trouble }) };
}

/** Of the same length, with what nobody takes for a value: all else is where it was. */
function covered(text: string, places: readonly LeftOver[]): string {
  return places.reduce(
    (rest, { start, end }) => rest.slice(0, start) + 'x'.repeat(end - start) + rest.slice(end),
    text,
  );
}

/** What was found before a checker gave up is still worth saying. */
async function checkAs(kind: Kind, file: CheckedFile): Promise<Trouble | undefined> {
  try {
    await CHECKERS[kind](file);
    return undefined;
  } catch (error) {
    return troubleOf(file.path, error);
  }
}

function troubleOf(path: string, error: unknown): Trouble {
  if (!(error instanceof CordonError)) throw error;
  return { file: path, errors: withoutFrames(path, error) };
}

const isEmpty = (text: string) => text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line));

/** The values of secrets.yaml stay out of every message, also where its syntax is broken and a parser would quote it. */
async function parsed(path: string, source: Source, kind: Kind | undefined) {
  if (kind !== undefined && PLAIN_TEXT.includes(kind)) return undefined;
  try {
    return await parseText(path, source, kind);
  } catch (error) {
    if (kind !== 'secrets' || !(error instanceof CordonError)) throw error;
    throw new CordonError('check', 'this is not valid YAML', {
      where: error.where,
      hint: 'check quotes and indentation',
    });
  }
}

const PLAIN_TEXT: readonly Kind[] = ['dockerfile', 'env-list'];

/** A file that is only looked at may hold anything, and reports end up in public logs: no line of it is quoted. */
function withoutFrames(path: string, error: CordonError): CordonError[] {
  return [error, ...error.related].map(
    ({ kind, message, where, hint }) => new CordonError(kind, message, { where: where ?? path, hint }),
  );
}

const emptyProfile = (path: string) =>
  new CordonError('check', 'the file is empty', {
    where: path,
    hint: 'an empty policy would pass everything on; write {} in JSON if that is meant',
  });

const unknownKind = (path: string) =>
  new CordonError('check', 'cannot tell what kind of file this is', {
    where: path,
    hint: `say it: --as ${KINDS.join(' | ')}`,
  });
