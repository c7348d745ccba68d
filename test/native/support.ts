import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCopy, openFolder, ROOT } from '../support/project.ts';

export type Build = 'release' | 'sanitize' | 'arm64';

/** The programs for the other kind of machine are tried through qemu, by .ci/package. */
const ARM64 = process.env.CORDON_TEST_ARM64 === '1';
export const BUILDS: readonly Build[] = ARM64 ? ['arm64'] : ['release', 'sanitize'];
export type Isolation = 'filter' | 'barrier';
/** Qemu makes no namespaces. */
export const ISOLATIONS: readonly Isolation[] = ARM64 ? ['filter'] : ['filter', 'barrier'];

const built = new Map<Build, string>();

/** The folder of the built programs, which are made current once. */
export function programs(build: Build = 'release'): string {
  const known = built.get(build);
  if (known !== undefined) return known;
  const folder = build === 'arm64' ? throughQemu() : join(ROOT, 'native/build', build === 'release' ? '' : build);
  if (build !== 'arm64') execFileSync(join(ROOT, 'native/build.sh'), [build], { stdio: 'pipe' });
  built.set(build, folder);
  return folder;
}

/** A program that becomes qemu with the other one, and adds nothing to the environment as a shell would. */
const BECOME_QEMU = `#include <unistd.h>
extern char **environ;
int main(int count, char **argv) {
  char *args[count + 4];
  args[0] = "qemu-aarch64", args[1] = PROGRAM;
  for (int i = 1; i <= count; i++) args[i + 1] = argv[i];
  return execve("/usr/bin/qemu-aarch64", args, environ);
}
`;

function throughQemu(): string {
  const folder = openFolder('arm64');
  execFileSync(join(ROOT, 'native/build.sh'), ['package'], { stdio: 'pipe' });
  for (const name of ['cordon-launch', 'decide-cases']) {
    const program = JSON.stringify(join(ROOT, 'native/build/linux-arm64', name));
    const args = ['-O1', `-DPROGRAM=${program}`, '-x', 'c', '-o', join(folder, name), '-'];
    execFileSync('gcc', args, { input: BECOME_QEMU, stdio: 'pipe' });
  }
  return folder;
}

export const BWRAP = '/usr/bin/bwrap';
/** The least that makes a barrier: the machine's own tree, processes and devices of its own. */
export const BARRIER = ['root writable', 'proc', 'dev'];

let limiter: string | undefined;

/** The words before a command that start it on a machine that lacks something: fixtures/without.c. */
export function without(...what: readonly string[]): string[] {
  if (limiter === undefined) {
    limiter = join(openFolder('without'), 'without');
    execFileSync('gcc', ['-O1', '-o', limiter, join(ROOT, 'test/native/fixtures/without.c')], { stdio: 'pipe' });
    chmodSync(limiter, 0o755);
  }
  return [limiter, ...what, '--'];
}

export interface ShimParts {
  readonly build?: Build;
  readonly isolation?: Isolation | 'auto';
  /** Lines that come first, e.g. rules. */
  readonly lines?: readonly string[];
  readonly command?: string;
  readonly args?: readonly string[];
  readonly name?: string;
  readonly folder?: string;
}

export function planLines({
  isolation = 'filter',
  lines = [],
  command = '/bin/sh',
  args = ['sh'],
  name = 'tool',
}: ShimParts): string[] {
  return [
    'cordon-plan 2',
    `name ${name}`,
    ...lines,
    `command ${command}`,
    ...args.map((argument) => `arg ${argument}`),
    `isolation ${isolation}`,
    ...(isolation === 'filter' ? [] : [`bwrap ${BWRAP}`, ...BARRIER]),
  ];
}

/** Where every user may start it. */
const launcherOf = (build: Build) => {
  const program = join(programs(build), 'cordon-launch');
  return build === 'arm64' ? program : openCopy(program);
};

export function writeShim(
  lines: readonly string[],
  { build = 'release', folder = openFolder('shim'), name = 'tool' }: ShimParts = {},
): string {
  const path = join(folder, name);
  const text = [`#!${launcherOf(build)}`, ...lines, 'end', ''].join('\n');
  writeFileSync(path, Buffer.from(text, 'latin1'));
  chmodSync(path, 0o755);
  return path;
}

/** An executable plan that runs a shell, or another command, with the arguments it is given. */
export function shim(parts: ShimParts = {}): string {
  return writeShim([...planLines(parts), 'append-args'], parts);
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

export function run(program: string, args: readonly string[] = [], { env, input = '', ...rest }: RunOptions = {}): Ran {
  const environment = Object.assign(Object.create(null), { PATH, NODE_V8_COVERAGE: undefined }, env);
  const { status, signal, stdout, stderr }: SpawnSyncReturns<Buffer> = spawnSync(program, args, {
    env: environment,
    input,
    maxBuffer: 1 << 28,
    ...rest,
  });
  if (signal !== null) throw new Error(`${program} died of ${signal}: ${stderr}`);
  return { code: status, stdout: stdout.toString('latin1'), stderr: stderr.toString('latin1') };
}

/** What `env -0` of the command showed, as NAME=VALUE entries. */
export const entriesOf = ({ stdout }: Ran) => stdout.split('\0').filter((entry) => entry !== '');

/** A started program whose output can be waited for. */
export class Running {
  readonly child;
  #output = '';
  #errors = '';
  readonly ended: Promise<{ code: number | null; signal: string | null }>;

  constructor(program: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(program, args, {
      env: Object.assign(Object.create(null), { PATH, NODE_V8_COVERAGE: undefined }, env),
    });
    this.child.stdout.setEncoding('latin1').on('data', (text: string) => {
      this.#output += text;
    });
    this.child.stderr.setEncoding('latin1').on('data', (text: string) => {
      this.#errors += text;
    });
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get output(): string {
    return this.#output;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Until the output matches, or has ended without. */
  async says(expected: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = expected.exec(this.#output);
      if (found !== null) return found;
      if (this.child.stdout.readableEnded)
        throw new Error(`ended without ${expected}: ${this.#output} ${this.#errors}`);
      await new Promise((resolve) => {
        const done = () => {
          this.child.stdout.off('data', done).off('end', done);
          resolve(undefined);
        };
        this.child.stdout.on('data', done).on('end', done);
      });
    }
  }
}

/** Until the environment of a process shows nothing more; its own user must not be able to look at all. */
export async function untilForgotten(pid: number): Promise<void> {
  const look = () => readFileSync(`/proc/${pid}/environ`, 'latin1').replaceAll('\0', '');
  for (;;) {
    try {
      if (look() === '') return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return;
      throw error;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
