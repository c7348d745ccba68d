import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';
import type { FsPlan } from '../../../src/plan/filesystem/index.ts';
import type { FilesystemPolicy } from '../../../src/policy/policy.ts';
import { openFolder } from '../../support/project.ts';
import { identityOf as askIdentity, type User } from '../../support/users.ts';

const identities = new Map<User, ReturnType<typeof askIdentity>>();

function identityOf(user: User): ReturnType<typeof askIdentity> {
  const identity = identities.get(user) ?? askIdentity(user);
  identities.set(user, identity);
  return identity;
}

const opened: string[] = [];
afterAll(() => {
  for (const folder of opened) rmSync(folder, { recursive: true, force: true });
});

function openOwn(name: string): string {
  const folder = realpathSync(openFolder(name));
  opened.push(folder);
  return folder;
}

/** A home and a workspace of its own for one user, with whatever a test puts there. */
export interface Place {
  readonly user: User;
  readonly home: string;
  readonly workspace: string;
}

export function makePlace(user: User): Place {
  const root = openOwn('fs');
  const place = { user, home: join(root, 'home'), workspace: join(root, 'home', 'work') };
  makeFolder(place, place.workspace);
  return place;
}

export function makeFolder({ user }: { user: User }, path: string): void {
  if (existsSync(path)) return;
  makeFolder({ user }, dirname(path));
  mkdirSync(path);
  own(user, path);
}

export function makeFile(place: { user: User }, path: string, text: string): void {
  makeFolder(place, dirname(path));
  writeFileSync(path, text);
  own(place.user, path);
}

export function own(user: User, path: string): void {
  const { uid, gid } = identityOf(user);
  chownSync(path, uid, gid);
}

export interface Asked {
  readonly policy?: Partial<FilesystemPolicy>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly passwdHome?: string;
}

let surveyor: string | undefined;

/** The survey as the user makes it: what root sees, another may not. */
export function planFor(
  { user, home, workspace }: Place,
  { policy, env, cwd = workspace, passwdHome }: Asked = {},
): FsPlan {
  surveyor ??= bundleSurveyor();
  const fullPolicy = { preset: 'guarded', explicit: false, write: [], read: [], hide: [], expose: [], ...policy };
  const question = JSON.stringify({
    policy: fullPolicy,
    workspace: cwd,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
    passwdHome,
  });
  const answer = spawnSync(process.execPath, [surveyor, question], {
    ...identityOf(user),
    cwd: '/',
    env: {},
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (answer.status !== 0) throw new Error(answer.stderr);
  return JSON.parse(answer.stdout) as FsPlan;
}

function bundleSurveyor(): string {
  const outfile = join(openOwn('surveyor'), 'survey.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL('./surveyor.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return outfile;
}

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell script under the plan, with its placeholders made before and removed after, as the launcher does. */
export function runUnder(plan: FsPlan, { user, workspace }: Place, script: string, cwd = workspace): Outcome {
  const made = plan.placeholders.filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) === undefined);
  for (const { kind, path, text = '' } of made) {
    if (kind === 'dir') mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, text, { mode: 0o600 });
    own(user, path);
  }
  try {
    return bubblewrap(user, [...plan.sandbox.flat(), '--chdir', cwd], ['/bin/sh', '-c', script]);
  } finally {
    for (const { kind, path } of made.toReversed())
      kind === 'dir' ? removeIfEmpty(path) : rmSync(path, { force: true });
  }
}

/** A run without protections may have moved or filled it. */
function removeIfEmpty(path: string): void {
  if (existsSync(path) && lstatSync(path).isDirectory() && readdirSync(path).length === 0) rmdirSync(path);
}

function bubblewrap(user: User, args: readonly string[], command: readonly string[]): Outcome {
  const namespaces = [
    ...(user === 'root' ? [] : ['--unshare-user']),
    '--unshare-pid',
    '--unshare-ipc',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
  ];
  const options = {
    ...identityOf(user),
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  } as const;
  const { status, stdout, stderr } = spawnSync('/usr/bin/bwrap', [...namespaces, ...args, ...command], options);
  return { status, stdout, stderr };
}

/** The same plan without what it says about these paths. */
export function without(plan: FsPlan, covers: (path: string) => boolean): FsPlan {
  const kept = plan.placeholders.filter(({ path }) => !covers(path) || path.endsWith('/blank'));
  return {
    ...plan,
    sandbox: plan.sandbox.filter((step) => step[0] === '--dev' || step[0] === '--proc' || !covers(step.at(-1) ?? '')),
    placeholders: plan.placeholders.filter(({ path }) =>
      kept.some((one) => one.path === path || one.path.startsWith(`${path}/`)),
    ),
  };
}

/** The ordinary user the tests run as, where root may make one. */
export function ensureOrdinaryUser(): void {
  if (process.getuid?.() === 0 && spawnSync('id', ['cordon-test']).status !== 0)
    execFileSync('useradd', ['-m', 'cordon-test']);
}
