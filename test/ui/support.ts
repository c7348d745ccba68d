import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cordonProgram, freshHome } from '../support/cordon.ts';
import { identityOf, type User } from '../support/users.ts';

export const stateOf = (home: string) => join(home, '.local', 'state', 'cordon');

/** Writes a file below a home as its user would have. */
export function put(user: User, home: string, path: string, text: string): void {
  const { uid, gid } = identityOf(user);
  const parts = path.split('/').slice(0, -1);
  for (const [i] of parts.entries()) {
    const folder = join(home, ...parts.slice(0, i + 1));
    mkdirSync(folder, { recursive: true });
    chownSync(folder, uid, gid);
  }
  writeFileSync(join(home, path), text, { mode: 0o600 });
  chownSync(join(home, path), uid, gid);
}

const PROGRAMS = ['/usr/bin/npm', '/usr/bin/git', '/usr/bin/python3', '/home/ada/.local/bin/claude', '/usr/bin/make'];
const POLICIES = ['defaults', 'profile web', 'agent claude', 'tool ruff', 'profile node-dev'];
const FOLDERS = ['/home/ada/work/site', '/home/ada/work/api', '/home/ada/notes'];
const DROPPED = [
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'DATABASE_URL'].map(
    (name) => ({
      name,
      rule: 'default',
    }),
  ),
  { name: 'LD_PRELOAD', rule: 'never LD_*' },
  { name: 'OPENAI_API_KEY', rule: 'guard name-key' },
  { name: 'CORDON_HOME', rule: 'control CORDON_HOME' },
];

/** One line of the audit record, one of many that differ. */
export function recordLine(i: number, time: number, changes: object = {}): string {
  const one = <T>(list: readonly T[], step = 1) => list[Math.floor(i / step) % list.length] as T;
  return `${JSON.stringify({
    time: new Date(time).toISOString(),
    id: `${1_000_000 + i}-${(i * 7) % 32_000}`,
    command: one(PROGRAMS),
    arguments: (i * 3) % 7,
    folder: one(FOLDERS, 3),
    policy: one(POLICIES, 2),
    passed: ['HOME', 'LANG', 'PATH', 'SHELL', 'TERM', 'USER'].slice(0, 3 + (i % 4)),
    set: [],
    credentials: i % 9 === 0 ? ['ANTHROPIC_API_KEY'] : [],
    dropped: DROPPED.slice(0, 2 + (i % 7)),
    asked: 'auto',
    isolation: i % 40 === 0 ? 'filter' : 'barrier',
    exit: exitOf(i),
    duration_ms: 40 + ((i * 7919) % 90_000),
    ...changes,
  })}\n`;
}

function exitOf(i: number): number | null {
  if (i % 97 === 0) return null;
  return i % 11 === 0 ? 1 : 0;
}

/** A record of so many launches, the newest a minute ago, more of them by day than by night. */
export function recordOf(count: number, now = Date.now()): string {
  const lines: string[] = [];
  let time = now - 60_000;
  for (let i = count - 1; i >= 0; i--) {
    const hour = (time / 3_600_000) % 24;
    const isWork = hour > 7 && hour < 19;
    time -= ((i * 7919) % 60_000) + (isWork ? 0 : 90_000);
    lines.push(recordLine(i, time));
  }
  return lines.toReversed().join('');
}

/** What `cordon prove` keeps, small. */
export function proofText(date: string, statuses: Readonly<Record<string, readonly [string, string]>>): string {
  const launchers = ['nothing', 'cordon'];
  const probes = Object.keys(statuses);
  const count = (i: number, status: string) => probes.filter((id) => statuses[id]?.[i] === status).length;
  return JSON.stringify({
    version: 1,
    date,
    verdict: 'held',
    complete: true,
    launchers: launchers.map((title) => ({ title })),
    probes: probes.map((id) => ({ id, title: `tries ${id}`, group: id.split('/')[0], gives: 'a secret' })),
    results: probes.flatMap((id) =>
      launchers.map((launcher, i) => ({ probe: id, launcher, status: statuses[id]?.[i], reason: 'as planted' })),
    ),
    counts: launchers.map((launcher, i) => ({
      launcher,
      leaked: count(i, 'leaked'),
      open: count(i, 'open'),
      blocked: count(i, 'blocked'),
      notApplicable: 0,
    })),
  });
}

export interface RunningUi {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly port: number;
  readonly token: string;
  readonly link: string;
  /** Resolved with its exit code and what it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** `cordon ui` as a user starts it; ended by whoever started it. */
export async function startUi(
  user: User,
  home = freshHome(user),
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<RunningUi> {
  const { uid, gid } = identityOf(user);
  const child = spawn(cordonProgram(), ['ui', ...flags], {
    ...{ uid, gid, cwd: home },
    env: Object.assign(Object.create(null), { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...env }),
  });
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr })),
  );
  const link = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('\n')) resolve(stdout.trim());
    });
    ended.then(({ code }) => reject(new Error(`it ended with ${code}: ${stderr}`)));
  });
  const { origin, port, hash } = new URL(link);
  return { child, origin, port: Number(port), token: hash.slice(1), link, ended };
}
