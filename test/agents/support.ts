import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshHome, type Ran, runCordon } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

export type Variables = Readonly<Record<string, string>>;

/** Secrets of an operator that no agent is to find, of every kind that people have in their shells. */
const CANARY_NAMES = [
  'DATABASE_URL',
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'NPM_TOKEN',
  'STRIPE_SECRET_KEY',
  'SLACK_BOT_TOKEN',
  'PGPASSWORD',
  'DEPLOY_SSH_PRIVATE_KEY',
  'HTTPS_PROXY',
  'NODE_OPTIONS',
  'PROOF_ENV',
] as const;

export function canaries(): Variables {
  return Object.fromEntries(CANARY_NAMES.map((name) => [name, valueFor(name, `canary-${randomUUID()}`)]));
}

function valueFor(name: string, canary: string): string {
  if (name === 'DATABASE_URL') return `postgres://app:${canary}@db.internal/app`;
  if (name === 'HTTPS_PROXY') return `http://user:${canary}@proxy.internal:3128`;
  return name === 'NODE_OPTIONS' ? `--title=${canary}` : canary;
}

/** What a stand-in does: tells everything it can find, then goes on as the test wants. */
export const DUMP = `#!/bin/sh
{ env -0; for process in /proc/[0-9]*; do cat "$process/environ" "$process/cmdline" 2>/dev/null; printf '\\0'; done; } > "$PWD/found"
env -0 > "$PWD/environment"
printf '%s\\0' "$@" > "$PWD/arguments"
`;

/** A home, a folder to work in, a configuration and stand-ins for agents, all of one user. */
export class Place {
  readonly user: User;
  readonly home: string;
  readonly work: string;
  readonly bin: string;
  readonly config: string;

  constructor(user: User) {
    this.user = user;
    this.home = freshHome(user);
    this.work = this.folder(join(this.home, 'work'));
    this.bin = this.folder(join(this.home, 'stand-ins'));
    this.config = this.folder(join(this.home, 'cordon'));
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  folder(path: string): string {
    mkdirSync(path, { recursive: true });
    return this.own(path);
  }

  own(path: string): string {
    const { uid, gid } = identityOf(this.user);
    chownSync(path, uid, gid);
    return path;
  }

  file(path: string, text: string, mode = 0o600): string {
    const place = join(this.home, path);
    this.folder(dirname(place));
    writeFileSync(place, text);
    chmodSync(place, mode);
    return this.own(place);
  }

  /** A program of that name that takes the agent's place. */
  standIn(program: string, script: string = DUMP): void {
    this.file(`stand-ins/${program}`, script, 0o755);
  }

  toml(text: string): void {
    this.file('cordon/cordon.toml', text);
  }

  get env(): Variables {
    return { PATH: `${this.bin}:/usr/local/bin:/usr/bin:/bin`, HOME: this.home, CORDON_HOME: this.config };
  }

  cordon(args: readonly string[], env: Variables = {}, input: string | Buffer = ''): Ran {
    return runCordon(args, { user: this.user, home: this.home, cwd: this.work, env: { ...this.env, ...env }, input });
  }

  found(): string {
    return readFileSync(join(this.work, 'found'), 'latin1');
  }

  environment(): Record<string, string> {
    return variables(readFileSync(join(this.work, 'environment'), 'utf8'));
  }

  arguments(): string[] {
    return readFileSync(join(this.work, 'arguments'), 'utf8').split('\0').slice(0, -1);
  }
}

/** What `env -0` printed, without what the shell adds by itself. */
export function variables(text: string): Record<string, string> {
  const entries = text.split('\0').filter((entry) => entry.includes('='));
  const pairs = entries.map(
    (entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const,
  );
  return Object.fromEntries(pairs.filter(([name]) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name)));
}

export function leaked(planted: Variables, text: string): string[] {
  const tell = (value: string) => /canary-[0-9a-f-]{36}/.exec(value)?.[0] ?? value;
  return Object.entries(planted)
    .filter(([, value]) => text.includes(tell(value)))
    .map(([name]) => name);
}
