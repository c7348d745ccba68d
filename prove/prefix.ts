import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { endGroup, startHelper } from './helper.ts';
import type { Prefix } from './launchers.ts';
import { ended, type TrialOutcome } from './outcome.ts';
import { ProveProblem } from './problem.ts';

const PATIENCE_MS = 5000;
const PLAIN_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Where it is looked for: with no more of the user's environment than the folders of PATH. */
export interface PrefixedBy {
  readonly path: string;
  /** A folder that is gone afterwards, its home and where it works. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** What stands before a command, as it is typed: its program is there, and says its version if it has a way to. */
export async function examinePrefix(prefix: string, around: PrefixedBy): Promise<Prefix> {
  if (prefix.trim() === '') throw problem('--under needs a command', "for example --under 'env -i'");
  const program = programOf(await firstWord(prefix, around), prefix, around);
  return { prefix, path: around.path, version: await versionOf(program, around) };
}

/** As a shell reads it. */
async function firstWord(prefix: string, around: PrefixedBy): Promise<string> {
  const { code, stdout } = await run(['/bin/sh', '-c', `set -- ${prefix}\nprintf %s "$1"`], around);
  if (code === 0) return stdout;
  throw problem(`--under '${prefix}' is not a command that a shell understands`, 'check its quotes');
}

function programOf(word: string, prefix: string, around: PrefixedBy): string {
  if (word.includes('/') && !isAbsolute(word))
    throw problem(`--under '${prefix}': the probes run in folders of their own`, 'give the full path of the program');
  const folders = isAbsolute(word) ? [''] : pathOf(around).split(':').filter(isAbsolute);
  const found = folders.map((folder) => (folder === '' ? word : join(folder, word))).find(isRunnable);
  if (found !== undefined) return found;
  throw problem(`--under '${prefix}': its program was not found`, 'install it, or give its full path');
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const pathOf = ({ path }: PrefixedBy) => (path === '' ? PLAIN_PATH : `${PLAIN_PATH}:${path}`);

async function versionOf(program: string, around: PrefixedBy): Promise<string | undefined> {
  const { code, stdout, stderr } = await run([program, '--version'], around);
  const line = `${stdout}\n${stderr}`.split('\n').find((text) => /\d+\.\d+/.test(text));
  return code === 0 ? line?.trim().slice(0, 80) : undefined;
}

/** What it said in the time it has; a program that knows no --version may do anything. */
async function run(argv: readonly string[], around: PrefixedBy): Promise<TrialOutcome> {
  const env = { PATH: pathOf(around), HOME: around.folder };
  const child = startHelper(argv, { env, cwd: around.folder });
  child.stdin?.on('error', () => undefined).end();
  const nothing: TrialOutcome = { code: null, stdout: '', stderr: '' };
  let stop: () => void = () => undefined;
  const stopped = new Promise<TrialOutcome>((resolve) => {
    stop = () => resolve(nothing);
  });
  const timer = setTimeout(stop, PATIENCE_MS);
  around.signal.addEventListener('abort', stop);
  try {
    return await Promise.race([ended(child).catch(() => nothing), stopped]);
  } finally {
    clearTimeout(timer);
    around.signal.removeEventListener('abort', stop);
    endGroup(child);
  }
}

const problem = (message: string, hint: string) => new ProveProblem('usage', message, { hint });
