import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../src/sessions/open.ts';
import { SELF } from '../support/users.ts';
import { put, type Scene, scene } from './support.ts';

const ME = SELF;

const open = (here: Scene, more: object = {}) =>
  openSession({
    user: 'greg',
    workspace: here.workspace,
    env: { CORDON_HOME: here.home, HOME: join(here.root, 'house'), PATH: '/usr/bin' },
    ...more,
  });

const WORKSPACES: readonly (readonly [string, (here: Scene) => string, RegExp])[] = [
  ['that is not there', ({ root }) => join(root, 'gone'), /not there/],
  ['that is no folder', (here) => put(here, 'file', ''), /no folder/],
  ['that is a link', (here) => linkTo(here, here.workspace), /symbolic link/],
  ['that is a link out', (here) => linkTo(here, '/etc'), /symbolic link/],
  ['/', () => '/', /system/],
  ['/etc', () => '/etc', /system/],
  ["with Cordon's home in it", ({ root }) => root, /no sandbox may have/],
  ["that is Cordon's home", ({ home }) => home, /no sandbox may have/],
  ['with all users in it', ({ home }) => join(home, 'users'), /Cordon's own/],
  ["of a user's secrets", ({ home }) => join(home, 'users/greg'), /Cordon's own/],
  ['that is the home', (here) => folder(here, 'house'), /no sandbox may have/],
  ['of no name', () => '', /no folder was given/],
  ['with a NUL', () => '/tmp\0', /no folder was given/],
];

function linkTo({ root }: Scene, target: string): string {
  symlinkSync(target, join(root, 'link'));
  return join(root, 'link');
}

function folder({ root }: Scene, name: string): string {
  mkdirSync(join(root, name));
  return join(root, name);
}

describe('what no session is opened with', () => {
  it.each(WORKSPACES)('a workspace %s', async (_, workspaceOf, message) => {
    const here = scene(ME);
    await expect(open(here, { workspace: workspaceOf(here) })).rejects.toThrow(message);
  });

  it.each(['../x', 'a/b', '..', 'a\0', '\u0430dmin', 'x'.repeat(300)])('a user called %j', async (user) => {
    await expect(open(scene(ME), { user })).rejects.toThrow(/not the name of a user/);
  });

  it.each(['', '../up', 'a/b', 'x'.repeat(99)])('the id %j', async (id) => {
    await expect(open(scene(ME), { id })).rejects.toThrow(/id of a session/);
  });

  it('an id that is taken', async () => {
    const here = scene(ME);
    const session = await open(here, { id: 'same' });
    await expect(open(here, { id: 'same' })).rejects.toThrow(/open already/);
    await session.close();
    await (await open(here, { id: 'same' })).close();
  });

  it.each([
    ['isolation: filter\n', /isolation filter/],
    ['filesystem: { preset: all }\n', /preset all/],
    ['filesystem: { read: [/] }\n', /whole of/],
    ['environment: { set_vars: { PATH: /x } }\n', /PATH of its own/],
    ['environment: { set_vars: { HOME: /x } }\n', /HOME of its own/],
  ])('the profile %s', async (text, message) => {
    const here = scene(ME);
    put(here, 'cordon/profiles/p.yaml', text);
    await expect(open(here, { profile: 'p' })).rejects.toThrow(message);
  });

  it.each(['read', 'hide'])('a profile that would %s a part of the workspace', async (key) => {
    const here = scene(ME);
    put(here, 'cordon/profiles/p.yaml', `filesystem: { ${key}: ["${here.workspace}/.env"] }\n`);
    await expect(open(here, { profile: 'p' })).rejects.toThrow(/in the workspace/);
  });

  it('redaction of a value that is found in any text', async () => {
    const here = scene(ME);
    put(here, 'cordon/profiles/p.yaml', 'redact: true\n');
    writeFileSync(join(here.home, 'users/greg/secrets.yaml'), 'sandboxed_envs:\n  A: x\n');
    await expect(open(here, { profile: 'p' })).rejects.toThrow(/cannot be redacted of A/);
  });
});

describe('F7: the log', () => {
  it('names a file that is not there as such, and files that are passed over', async () => {
    const lines: string[] = [];
    const here = scene(ME);
    const own = join(here.home, 'users/greg');
    renameSync(join(own, 'secrets.yaml'), join(own, 'secrets.yml'));
    mkdirSync(join(own, 'ag3ntum'));
    writeFileSync(join(own, 'ag3ntum/secrets.yaml'), 'sandboxed_envs: {}\n');
    await (await open(here, { id: 's1', log: (_: string, line: string) => lines.push(line) })).close();
    expect(lines).toContain(`sandboxed_envs: none of the user's own: there is no ${join(own, 'secrets.yaml')}`);
    for (const name of ['secrets.yml', 'ag3ntum/secrets.yaml'])
      expect(lines).toContain(`sandboxed_envs: ${join(own, name)} is not read; the file is called secrets.yaml`);
  });

  it('tells names and counts', async () => {
    const lines: string[] = [];
    const here = scene(ME);
    await (
      await open(here, { id: 's1', log: (level: string, line: string) => lines.push(`${level} ${line}`) })
    ).close();
    expect(lines.filter((line) => !line.includes('limits:'))).toEqual([
      `info sandboxed_envs: 2 global, from ${join(here.home, 'secrets.yaml')}`,
      `info sandboxed_envs: 2 of the user's own, from ${join(here.home, 'users/greg/secrets.yaml')}`,
      'info sandboxed_envs: 2 global + 2 own = 3 after overrides',
      "info sandbox: user 'greg' has 3 variables: [GITHUB_TOKEN, OPENAI_API_KEY, SHARED]",
      'info sandbox: 3 variables are ready for session s1',
    ]);
  });
});
