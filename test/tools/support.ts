import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freshHome, type Ran, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

type Variables = Readonly<Record<string, string>>;

/** A home of its own with tools, shims and policies in it. */
export class ToolBox {
  readonly user: User;
  readonly home: string;
  readonly cordonHome: string;
  readonly bin: string;
  readonly config: string;
  readonly tools: string;

  constructor(user: User = 'root') {
    this.user = user;
    this.home = freshHome(user);
    this.cordonHome = join(this.home, 'cordon');
    this.bin = join(this.cordonHome, 'bin');
    this.config = join(this.cordonHome, 'cordon.toml');
    this.tools = join(this.home, 'tools');
    this.folder(this.tools);
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  }

  get env(): Variables {
    return {
      PATH: `${this.bin}:${this.tools}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      CORDON_HOME: this.cordonHome,
    };
  }

  cordon(args: readonly string[], env: Variables = {}, cwd = this.home): Ran {
    return runCordon(args, { user: this.user, home: this.home, cwd, env: { ...this.env, ...env } });
  }

  /** A command that must succeed. */
  did(...args: readonly string[]): string {
    const { code, stdout, stderr } = this.cordon(args);
    if (code !== 0) throw new Error(`cordon ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  path(name: string): string {
    return join(this.bin, name);
  }

  /** Starts what stands in the bin folder, with exactly these variables. */
  start(name: string, args: readonly string[] = [], env: Variables = this.env, cwd = this.home): Ran {
    return runAs(this.path(name), args, { user: this.user, home: this.home, cwd, env: { ...NO_DEFAULTS, ...env } });
  }

  shim(name: string): string {
    return readFileSync(this.path(name), 'latin1');
  }

  policy(): string {
    return readFileSync(this.config, 'utf8');
  }

  write(path: string, text: string, mode = 0o644): string {
    const { uid, gid } = identityOf(this.user);
    writeFileSync(path, text);
    chmodSync(path, mode);
    chownSync(path, uid, gid);
    return path;
  }

  /** A program of the test's own. */
  tool(name: string, script: string): string {
    return this.write(join(this.tools, name), script, 0o755);
  }

  folder(path: string): string {
    const { uid, gid } = identityOf(this.user);
    mkdirSync(path, { recursive: true });
    chownSync(path, uid, gid);
    return path;
  }
}

/** What `runAs` would add by itself. */
const NO_DEFAULTS = { PATH: undefined, HOME: undefined } as unknown as Variables;

/** What `env -0` printed. */
export function variablesOf(stdout: string): Record<string, string> {
  return Object.fromEntries(
    stdout
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

export const FILTER_ONLY: Variables = { CORDON_DISABLE_BWRAP: '1', CORDON_POLICY_QUIET: '1' };
