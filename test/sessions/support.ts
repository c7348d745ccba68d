import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshHome, installedPackage } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

/** What a session is made of, all of it this user's. */
export interface Scene {
  readonly user: User;
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly skills: string;
}

const SECRETS = {
  shared: 'sandboxed_envs:\n  OPENAI_API_KEY: sk-global-4711-aaaa\n  SHARED: shared-value-1\n',
  greg: 'sandboxed_envs:\n  OPENAI_API_KEY: sk-greg-0815-bbbb\n  GITHUB_TOKEN: ghp-greg-2222-cccc\n',
};

export const VALUES = {
  OPENAI_API_KEY: 'sk-greg-0815-bbbb',
  SHARED: 'shared-value-1',
  GITHUB_TOKEN: 'ghp-greg-2222-cccc',
} as const;

export function scene(user: User): Scene {
  const root = freshHome(user);
  const made = { user, root, home: join(root, 'cordon'), workspace: join(root, 'work'), skills: join(root, 'skills') };
  for (const folder of [made.home, made.workspace, made.skills]) folderOf(made, folder);
  put(made, 'cordon/secrets.yaml', `anthropic_api_key: sk-main-9999-dddd\n${SECRETS.shared}`, 0o600);
  put(made, 'cordon/users/greg/secrets.yaml', SECRETS.greg, 0o600);
  return made;
}

export function put({ user, root }: Scene, path: string, text: string, mode = 0o644): string {
  const file = join(root, path);
  folderOf({ user, root }, dirname(file));
  writeFileSync(file, text, { mode });
  const { uid, gid } = identityOf(user);
  chownSync(file, uid, gid);
  return file;
}

function folderOf(owner: Pick<Scene, 'user' | 'root'>, folder: string): void {
  if (folder === owner.root) return;
  folderOf(owner, dirname(folder));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, gid } = identityOf(owner.user);
  chownSync(folder, uid, gid);
}

// The values of secrets stand in files only: whoever looks at the processes must find none.
const PRELUDE = (library: string) => `
import { openSession, lineLog } from ${JSON.stringify(library)};
import { once } from 'node:events';
import * as fs from 'node:fs';
const scene = JSON.parse(process.argv[2]);
const env = { CORDON_HOME: scene.home, PATH: '/usr/bin:/bin' };
const open = (more = {}) => openSession({ user: 'greg', workspace: scene.workspace, env, ...more });
const show = (result) => ({ ...result, stdout: result.stdout.toString(), stderr: result.stderr.toString() });
const refused = (promise) => promise.then(() => 'not refused', ({ kind, message, hint, where }) => ({ kind, message, hint, where }));
const result = await (async () => {
`;
const EPILOGUE = '\n})();\nif (result !== undefined) process.stdout.write(JSON.stringify(result));\n';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a main process of its own, as this user, that runs the body and writes what it returns. */
export function mainProcess(of: Scene, body: string, wrapper: readonly string[] = []): ChildProcess {
  const script = put(of, `main-${Math.random().toString(36).slice(2)}.mjs`, '');
  writeFileSync(script, `${PRELUDE(join(installedPackage(), 'dist/index.js'))}${body}${EPILOGUE}`);
  const words = [...wrapper, process.execPath, script, JSON.stringify(of)];
  const [program = process.execPath, ...args] = words;
  const env = { PATH: '/usr/bin:/bin', HOME: of.root, NODE_V8_COVERAGE: undefined };
  return spawn(program, args, { ...identityOf(of.user), cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] });
}

export async function finished(child: ChildProcess): Promise<Ran> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return chunks;
  }) as [Buffer[], Buffer[]];
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** What the body returned. */
// biome-ignore lint/suspicious/noExplicitAny: each body has a result of its own
export async function inMain(of: Scene, body: string, wrapper?: readonly string[]): Promise<any> {
  const ran = await finished(mainProcess(of, body, wrapper));
  if (ran.code !== 0) throw new Error(`the main process ended with ${ran.code}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}
