import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { inject, onTestFinished, vi } from 'vitest';
import { cordonProgram, freshHome, installedPackage } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, type User } from '../support/users.ts';
import { engineEnv } from './engine-set-up.ts';

export const IMAGE = 'localhost/small';
export const ENGINE_FOLDER = () => inject('engine');

export const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 50 });

interface RunSettings {
  readonly env?: Record<string, string>;
  readonly input?: string;
  readonly program?: string;
}

/** A home, a project in it, and an environment with something in it that nobody may see. */
export class Scene {
  readonly home: string;
  readonly project: string;
  readonly user: User;

  constructor(user: User = 'root') {
    this.user = user;
    this.home = freshHome(user);
    this.project = join(realpathSync(openFolder('in')), 'project');
    mkdirSync(this.project);
    const { uid, gid } = identityOf(user);
    chownSync(this.project, uid, gid);
    execFileSync('git', ['init', '--quiet', this.project], {
      env: { PATH: '/usr/bin:/bin', HOME: this.home },
      uid,
      gid,
    });
  }

  env(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    return {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: this.home,
      ...engineEnv(ENGINE_FOLDER()),
      ...more,
    };
  }

  /** Makes these the user's. */
  own(...paths: readonly string[]): void {
    const { uid, gid } = identityOf(this.user);
    for (const path of paths) chownSync(path, uid, gid);
  }

  /** A program that uses the library, and how to start it. */
  script(text: string): { readonly program: string; readonly words: readonly string[] } {
    const library = pathToFileURL(join(installedPackage(), 'dist/index.js')).href;
    const file = join(this.project, '..', 'script.mjs');
    writeFileSync(file, `import * as cordon from ${JSON.stringify(library)};\n${text}`);
    return { program: process.execPath, words: [file] };
  }

  /** `cordon`, or another program, with these words in the project. */
  run(args: readonly string[], { env = {}, input = '', program = cordonProgram() }: RunSettings = {}) {
    const { uid, gid } = identityOf(this.user);
    const options = {
      env: this.env(env),
      cwd: this.project,
      uid,
      gid,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    } as const;
    return spawnSync(program, args, options);
  }

  /** The same with a terminal of its own. */
  runOnTerminal(args: readonly string[], program = cordonProgram()) {
    const line = [program, ...args].map((word) => `'${word}'`).join(' ');
    const env = this.env({ TERM: 'vt100' });
    return spawnSync('script', ['-qec', line, '/dev/null'], {
      env,
      cwd: this.project,
      encoding: 'utf8',
      timeout: 60_000,
    });
  }

  /** The same while it goes on. */
  start(args: readonly string[], env: Record<string, string> = {}, program = cordonProgram()) {
    const child = spawn(program, args, { env: this.env(env), cwd: this.project, ...identityOf(this.user) });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const errors = text(child.stderr);
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code, signal) => resolve(signal === null ? code : -1));
    });
    return { child, ended, errors, said: () => said };
  }
}

/** Where the sockets of its starts are. */
export const talksOf = ({ home }: Scene) => join(home, '.local/state/cordon/in');

/** A user's own storage, as rootless podman has it, with the image in it. */
export function rootless(scene: Scene, tar = join(ENGINE_FOLDER(), 'root.tar'), image = IMAGE): Record<string, string> {
  const { uid, gid } = identityOf(scene.user);
  const settings = join(scene.home, 'storage.conf');
  writeFileSync(settings, '[storage]\ndriver = "vfs"\n');
  const env = { XDG_RUNTIME_DIR: runtimeFolder(uid, gid), CONTAINERS_STORAGE_CONF: settings };
  const words = ['import', '--quiet', '-c', 'ENV PATH=/bin', tar, image];
  execFileSync('podman', words, { env: scene.env(env), cwd: scene.home, uid, gid, stdio: 'ignore' });
  return env;
}

/** Where its name has more than 50 characters podman waits 20 s for each container. It leaves a process behind. */
function runtimeFolder(uid: number, gid: number): string {
  const folder = mkdtempSync('/tmp/run-');
  chownSync(folder, uid, gid);
  onTestFinished(() => {
    process.kill(Number(readFileSync(join(folder, 'libpod/tmp/pause.pid'), 'utf8')));
    rmSync(folder, { recursive: true });
  });
  return folder;
}

export function podman(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync('podman', args, { env: { ...process.env, ...engineEnv(ENGINE_FOLDER()) }, encoding: 'utf8' });
}

/** Processes of the machine whose command line has this in it, by what they are called. */
export function processesWith(words: string): string[] {
  const { stdout } = spawnSync('pgrep', ['-f', '--', words], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
