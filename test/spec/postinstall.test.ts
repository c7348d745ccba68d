import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, installedPackage } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

interface Loot {
  readonly environment: readonly string[];
  readonly processes: readonly string[];
  readonly npmrc: readonly string[];
  readonly descriptors: readonly string[];
  readonly sent: boolean;
}

interface Attempt {
  readonly code: number | null;
  readonly output: string;
  readonly loot: Loot;
  /** What arrived at the listener outside. */
  readonly received: readonly Loot[];
  readonly marks: Readonly<Record<'env' | 'npmrc' | 'descriptor', string>>;
}

const received: Loot[] = [];
const made: string[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Loot);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const mark = (kind: string) => `marked-${kind}-${randomBytes(8).toString('hex')}`;

/** A project of this user's with the hostile package beside it, and secrets in every usual place. */
async function attempt(how: 'bare' | 'sandbox', user: User): Promise<Attempt> {
  received.length = 0;
  const marks = { env: mark('env'), npmrc: mark('npmrc'), descriptor: mark('descriptor') };
  const home = freshHome(user);
  const project = openFolder('project');
  made.push(home, project);
  const { port } = server.address() as AddressInfo;
  cpSync(join(import.meta.dirname, 'fixtures/thief'), join(project, 'thief'), { recursive: true });
  writeFileSync(join(project, 'thief/known.json'), JSON.stringify({ home, listener: `http://127.0.0.1:${port}/` }));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', private: true }));
  writeFileSync(join(home, '.npmrc'), `//registry.example/:_authToken=${marks.npmrc}\n`);
  writeFileSync(join(home, 'secret'), marks.descriptor);
  giveTo(user, home);
  giveTo(user, project);
  const env = {
    ANTHROPIC_API_KEY: marks.env,
    HTTPS_PROXY: `http://bob:${marks.env}@proxy.example:8080`,
    NPM_CONFIG__AUTH: marks.env,
  };
  const { code, output } = await install(how, { user, home, project, env });
  const file = join(project, 'loot.json');
  if (!existsSync(file)) throw new Error(`the install script did not run\n${output}`);
  return { code, output, loot: JSON.parse(readFileSync(file, 'utf8')) as Loot, received: [...received], marks };
}

function giveTo(user: User, folder: string): void {
  const { uid, gid } = identityOf(user);
  chmodSync(folder, 0o755);
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTo(user, path);
    else chownSync(path, uid, gid);
  }
}

interface Surroundings {
  readonly user: User;
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Descriptor 7 is open on a secret, as when a shell forgot to close it. */
function install(
  how: string,
  { user, home, project, env }: Surroundings,
): Promise<{ code: number | null; output: string }> {
  const script = join(openFolder('driver'), 'install.mjs');
  made.push(join(script, '..'));
  cpSync(join(import.meta.dirname, 'fixtures/install.mjs'), script);
  const library = join(installedPackage(), 'dist/index.js');
  const args = ['-c', 'exec 7<"$HOME/secret"; exec node "$@"', 'sh', script, library, how];
  const environment = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: home, ...env };
  const child = spawn('/bin/sh', args, {
    ...identityOf(user),
    cwd: project,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: Buffer.concat(output).toString('utf8') }));
  });
}

describe.each(USERS)('the install script of a hostile package, as %s', (user) => {
  it('gets everything without the sandbox', async () => {
    const { loot, received: sent, marks, output } = await attempt('bare', user);
    expect(loot.environment, output).toEqual([marks.env]);
    expect(loot.processes).toContain(marks.env);
    expect(loot.npmrc).toContain(marks.npmrc);
    expect(loot.descriptors).toContain(marks.descriptor);
    expect(loot.sent).toBe(true);
    expect(JSON.stringify(sent)).toContain(marks.env);
  });

  it('gets nothing in the sandbox, and the package is installed all the same', async () => {
    const { code, loot, received: sent, output, marks } = await attempt('sandbox', user);
    expect(loot, output).toEqual({ environment: [], processes: [], npmrc: [], descriptors: [], sent: false });
    expect(sent).toEqual([]);
    expect(code, output).toBe(0);
    for (const one of Object.values(marks)) expect(output).not.toContain(one);
  });
});
