import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CallToolResult, Client, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, vi } from 'vitest';
import { without } from '../native/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, type User } from '../support/users.ts';

/** What each test starts ends with it. */
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});
export const atEnd = (end: () => unknown) => endings.push(end);

export const GLOBAL_VALUE = 'global-7d0c2b';
export const ownValue = (user: string) => `own-of-${user}-55e1`;

/** A home with secrets for alice and bob, their workspaces, and a folder of skills, all of one user of the machine. */
export class Place {
  readonly user: User;
  readonly home: string;
  readonly workspaces: string;
  readonly skills: string;

  constructor(user: User) {
    this.user = user;
    const root = realpathSync(openFolder('mcp'));
    chmodSync(root, 0o755);
    [this.home, this.workspaces, this.skills] = ['home', 'ws', 'skills'].map((name) =>
      this.#folder(join(root, name)),
    ) as [string, string, string];
    this.write(
      join(this.home, 'secrets.yaml'),
      `sandboxed_envs:\n  SHARED: ${GLOBAL_VALUE}\n  OWN_KEY: not-of-a-user\n`,
      0o600,
    );
    for (const name of ['alice', 'bob']) {
      this.#folder(join(this.workspaces, name));
      this.#folder(join(this.home, 'users'));
      this.#folder(join(this.home, 'users', name));
      this.write(this.secretsOf(name), `sandboxed_envs:\n  OWN_KEY: ${ownValue(name)}\n`, 0o600);
    }
  }

  secretsOf = (name: string) => join(this.home, 'users', name, 'secrets.yaml');
  workspaceOf = (name: string) => join(this.workspaces, name);

  #folder(path: string): string {
    mkdirSync(path, { recursive: true });
    this.#give(path);
    return path;
  }

  #give(path: string): void {
    const { uid, gid } = identityOf(this.user);
    chownSync(path, uid, gid);
  }

  write(path: string, text: string | Buffer, mode = 0o644): void {
    if (dirname(path).startsWith(this.skills)) this.#folderUpTo(dirname(path));
    writeFileSync(path, text);
    chmodSync(path, mode);
    this.#give(path);
  }

  #folderUpTo(path: string): void {
    if (path === this.skills) return;
    this.#folderUpTo(dirname(path));
    this.#folder(path);
  }

  skill(name: string, document: string, script?: { readonly name: string; readonly text: string }): void {
    this.write(join(this.skills, name, 'SKILL.md'), document);
    if (script !== undefined) this.write(join(this.skills, name, 'scripts', script.name), script.text, 0o755);
  }

  /** The program as this user, through setpriv where the tests run as root, and through another program where one is named. */
  command(args: readonly string[], through: readonly string[] = []): { command: string; args: string[] } {
    const { uid, gid } = identityOf(this.user);
    const changed = this.user !== 'root' && process.getuid?.() === 0;
    const as = changed ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
    const [command, ...words] = [...as, ...through, cordonProgram(), ...args];
    return { command: command as string, args: words };
  }

  profile(text: string): string[] {
    const path = join(this.home, 'profile.yaml');
    this.write(path, text);
    return ['--profile', path];
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: this.home, CORDON_HOME: this.home, ...more };
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}, through: readonly string[] = []): Running {
    return new Running(this.command(args, through), this.env(env), this.home);
  }

  /** What sessions left in the state folder, launch records aside. */
  leftovers(): string[] {
    return readdirSync(join(this.home, 'state', 'sessions'));
  }
}

/** On a machine where no namespace can be made. */
export const WITHOUT_BARRIER: readonly string[] = without('namespaces');

/** The program with pipes, and all it has said. */
export class Running {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor({ command, args }: ReturnType<Place['command']>, env: Record<string, string>, cwd: string) {
    this.child = spawn(command, args, { env, cwd, stdio: 'pipe' });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    this.child.stdin?.on('error', () => undefined);
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    atEnd(() => this.child.kill('SIGKILL') && this.ended);
  }

  /** Sooner or later: what it writes and what it answers come by different ways. */
  says(what: RegExp | string): Promise<RegExpExecArray> {
    const form = typeof what === 'string' ? new RegExp(what.replaceAll(/[^\w/]/g, '\\$&')) : what;
    return eventually(() => form.exec(this.stderr) ?? Promise.reject(new Error(`not said: ${this.stderr}`)));
  }
}

export const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 25 });

export interface Connected {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly said: () => string;
}

export type Era = 'legacy' | 'auto';

export function newClient(era: Era = 'legacy'): Client {
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
}

export async function connectStdio(
  place: Place,
  {
    user = 'alice',
    era = 'legacy' as Era,
    env = {},
    more = [] as readonly string[],
    through = [] as readonly string[],
  } = {},
): Promise<Connected> {
  const args = ['mcp', '--user', user, '--workspace', place.workspaceOf(user), '--skills', place.skills, ...more];
  const transport = new StdioClientTransport({
    ...place.command(args, through),
    env: place.env(env),
    cwd: place.home,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const client = newClient(era);
  atEnd(() => client.close());
  await client.connect(transport);
  return { client, transport, said: () => said };
}

export interface Reply {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function call(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: Parameters<Client['callTool']>[1] = {},
): Promise<Reply> {
  const { content, isError, structuredContent } = (await client.callTool(
    { name, arguments: { ...args } },
    options,
  )) as CallToolResult;
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, isError: isError === true, data: (structuredContent ?? {}) as Record<string, unknown> };
}

export const bash = (client: Client, command: string, more: Readonly<Record<string, unknown>> = {}, options = {}) =>
  call(client, 'Bash', { command, ...more }, options);

/** The processes anywhere on the machine that have this word for an argument. */
export function processesOf(word: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && argumentsOf(pid).includes(word));
}

export const isRunning = (word: string) => processesOf(word).length > 0;

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

let marks = 0;
/** A number of seconds to sleep that no other process has among its arguments. */
export const uniqueSleep = () => `${86_000 + ++marks}.${process.pid}`;

/** The codes of all errors that come from now on, as they stand on the wire. */
export function errorCodes(transport: Transport): number[] {
  const codes: number[] = [];
  const pass = transport.onmessage?.bind(transport);
  transport.onmessage = (message, extra) => {
    if ('error' in message) codes.push(message.error.code);
    pass?.(message, extra);
  };
  return codes;
}
