import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS, type User } from '../support/users.ts';

/** A program that Cordon asks for credentials, and what it is lent. */
interface Helper {
  readonly name: string;
  readonly session: string;
  readonly source: string;
}

const HELPERS: readonly Helper[] = [
  { name: 'op', session: 'OP_SESSION_mine', source: 'op://Work/github/token' },
  { name: 'bw', session: 'BW_SESSION', source: 'bw://github/token' },
];

/** Left by an earlier command in a folder of the workspace that stands on PATH, as those of virtual environments and of npm do. */
async function toldBy(user: User, { name, session, source }: Helper, cordon: boolean): Promise<string> {
  const scene = new Scene(user);
  const note = `${scene.work}/told`;
  const folder = 'work/.venv/bin';
  scene.file(`${folder}/${name}`, `#!/bin/sh\nprintf '%s\\n' "$${session}" >> ${note}\necho secret\n`, 0o755);
  const env = { PATH: `${scene.path(folder)}:/usr/local/bin:/usr/bin:/bin`, [session]: `${scene.canary}-session` };
  const launch = [cordonProgram(), 'run', '--credential', `GH_TOKEN=${source}`, '--', name];
  await ended(begin({ scene, env, starter: [] }, cordon ? launch : [name]));
  return existsSync(note) ? readFileSync(note, 'utf8').replaceAll(scene.canary, 'the') : '';
}

describe.each(USERS)('a program of the workspace in the place of a helper, for %s', (user) => {
  it.each(HELPERS)('$name is not lent the session', async (helper) => {
    expect(await toldBy(user, helper, true)).not.toContain('the-session');
  });

  it.each(HELPERS)('$name would have it without Cordon', async (helper) => {
    expect(await toldBy(user, helper, false)).toContain('the-session');
  });
});
