import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Bytes } from '../../host/bytes.ts';
import { ensureFolder, textIn } from '../../host/files.ts';
import { workingFolder } from '../../host/folders.ts';
import { openPage } from '../../launch/open-page.ts';
import { keep } from '../../ui/keep.ts';
import { readPage } from '../../ui/page-file.ts';
import { PageRecords } from '../../ui/records/index.ts';
import { UiServer } from '../../ui/server.ts';
import { UI_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import {
  flagValues,
  hasFlag,
  lastText,
  type ParsedArguments,
  parseArguments,
  textValue,
  usageError,
} from '../flags.ts';
import { version } from '../version.ts';

const IDLE_MS = 3_600_000;

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: UI_FLAGS });
  if (parsed.words.length > 0 || parsed.rest !== undefined) throw usageError('ui takes no words');
  const folder = flagValues(parsed, '--static').at(-1);
  const { env, folders } = context;
  const known = { env, folders, workdir: workingFolder() };
  const around = { ...known, page: readPage(), records: new PageRecords(known) };
  if (folder === undefined) return serve(parsed, { ...around, version: version() }, context);
  for (const other of ['--decide', '--port'])
    if (hasFlag(parsed, other)) throw usageError(`--static and ${other} do not go together`);
  const page = await keep(textValue(folder, '--static'), { ...around, version: version() });
  context.out(`${page}\n`);
  return 0;
}

type ServerOptions = Omit<ConstructorParameters<typeof UiServer>[0], 'port' | 'decide' | 'idleMs' | 'onEntered'>;

async function serve(parsed: ParsedArguments, around: ServerOptions, context: Context): Promise<number> {
  const doorstep = new Doorstep(context);
  const server = new UiServer({
    ...around,
    port: portOf(parsed),
    decide: hasFlag(parsed, '--decide'),
    idleMs: IDLE_MS,
    onEntered: () => doorstep.sweep(),
  });
  const ended = untilTold();
  await server.start();
  doorstep.show(server.link());
  const lines = linesTyped(() => doorstep.show(server.link()));
  const reason = await Promise.race([ended, server.idle.then(() => 'idle' as const)]);
  lines?.close();
  doorstep.sweep();
  await server.stop();
  if (reason === 'idle') context.err('cordon: nobody looked at it for an hour\n');
  return 0;
}

/** Whoever reads a terminal from the background is stopped by it. A shell says SIGCONT after Ctrl-Z, whether it was fg or bg. */
function linesTyped(onLine: () => void): Pick<Interface, 'close'> | undefined {
  if (!process.stdin.isTTY || !isInForeground()) return undefined;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', onLine);
  process.on('SIGCONT', () => (isInForeground() ? lines.resume() : lines.pause()));
  return lines;
}

/** `pid (name) state parent group session terminal foreground …`; a name may have anything in it. */
function isInForeground(): boolean {
  const [, , group, , , foreground] = textIn('/proc/self/stat')
    .replace(/^.*\)\s/s, '')
    .split(' ');
  return group === foreground;
}

/** Ctrl-C is how one ends it, so it is no failure. SIGUSR1 would open Node's inspector. */
function untilTold(): Promise<'told'> {
  process.on('SIGUSR1', () => undefined);
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve('told'));
  });
}

function portOf(parsed: ParsedArguments): number {
  const text = lastText(parsed, '--port') ?? '0';
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw usageError(`--port needs a number up to 65535`);
  return Number(text);
}

/**
 * How the browser gets the link: other users can read the arguments of any process, so it is handed a file that only this user can read, which
 * leads on to the link. It is removed as soon as the link was used.
 */
class Doorstep {
  readonly #context: Context;
  #file: string | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  show(link: string): void {
    const { out, err } = this.#context;
    this.sweep();
    out(`${link}\n`);
    if (this.#open(link)) err('cordon: opening it in your browser; ');
    else err('cordon: open it in a browser of this machine; ');
    err('the link works once, Enter makes another, Ctrl-C ends\n');
  }

  #open(link: string): boolean {
    const { folders, env } = this.#context;
    if (folders.state === undefined) return false;
    const file = join(folders.state, `ui-${process.pid}.html`);
    try {
      ensureFolder(folders.state);
      writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`, {
        flag: 'wx',
        mode: 0o600,
      });
    } catch {
      return false;
    }
    this.#file = file;
    if (openPage(file, env, workingFolder())) return true;
    this.sweep();
    return false;
  }

  sweep(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
    this.#file = undefined;
  }
}
