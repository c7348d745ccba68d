import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshHome, type Ran, runCordon } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

/** A home of this user's own with a project in it. */
export class World {
  readonly home: string;
  readonly work: string;
  readonly user: User;

  constructor(user: User) {
    this.user = user;
    this.home = freshHome(user);
    this.work = this.folder('code/app');
    onTestFinished(() => this.#cleanUp());
  }

  folder(path: string): string {
    const whole = join(this.home, path);
    mkdirSync(whole, { recursive: true });
    this.#own();
    return whole;
  }

  put(path: string, text: string | Buffer, mode = 0o644): string {
    const whole = join(this.home, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text, { mode });
    this.#own();
    return whole;
  }

  text(path: string): string {
    return readFileSync(join(this.home, path), 'utf8');
  }

  /** `cordon run` of a shell, in the project. */
  run(script: string, flags: readonly string[] = [], cwd = this.work): Ran {
    return this.cordon(['run', ...flags, '--', 'sh', '-c', script], cwd);
  }

  cordon(args: readonly string[], cwd = this.work): Ran {
    return runCordon(args, { user: this.user, home: this.home, cwd });
  }

  /** What the newest launch put aside. */
  show(): { path: string; kind: string; size: number; runs: string | null; credential: boolean; launch: string }[] {
    return JSON.parse(this.cordon(['changes', 'show', '--json']).stdout);
  }

  get records(): string {
    return join(this.home, '.local/state/cordon/changes');
  }

  names(): string[] {
    return readdirSync(this.records);
  }

  get layers(): string {
    return this.text('.local/state/cordon/layers').trim();
  }

  #own(): void {
    const { uid, gid } = identityOf(this.user);
    execFileSync('chown', ['-R', '--no-dereference', `${uid}:${gid}`, this.home]);
  }

  #cleanUp(): void {
    try {
      rmSync(this.layers, { recursive: true, force: true });
    } catch {
      // Nothing was launched.
    }
  }
}
