import { chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { foldedHosts } from '../../src/network/learn.ts';
import { ask, pendingIn, say } from '../../src/network/pending.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS } from '../support/users.ts';
import { closeAll, cordon, echo, inside, internet, listening, type Scene, sceneOf } from './support.ts';

afterEach(closeAll);

const get = (host: string) => `curl -sS -m 60 http://${host}/`;

async function pendingIds(scene: Scene): Promise<{ id: string; name: string }[]> {
  for (;;) {
    const { stdout } = await cordon(scene, ['net', 'pending', '--json']);
    const found = JSON.parse(stdout) as { id: string; name: string }[];
    if (found.length > 0) return found;
  }
}

describe.each(USERS)('what is seen of connections, as %s', (user) => {
  it('learn lets everything through and prints the list it would take', async () => {
    const scene = sceneOf(user);
    const script = [get('pypi.org'), get('files.pythonhosted.org'), get('odd.example.com:8080')].join('; ');
    const { stdout, stderr } = await inside(scene, ['learn'], script, await internet());
    expect(stdout).toBe('pypi.org\nfiles.pythonhosted.org\nodd.example.com\n');
    expect(stderr).toContain('the same with a list: --net @pypi --net odd.example.com:8080\n');
    expect(stderr).toContain('in a profile: "network": { "allow": ["@pypi","odd.example.com:8080"] }');
  });

  it('ask waits for a word: this time, for the launch, in the profile; or no', async () => {
    const scene = sceneOf(user);
    const profile = join(scene.home, 'p.json');
    writeFileSync(profile, '{}\n');
    const { uid, gid } = identityOf(user);
    chownSync(profile, uid, gid);
    const script = `${get('a.example.com')}; ${get('a.example.com')}; ${get('a.example.com')}; ${get('b.example.com')}`;
    const running = inside(scene, ['ask'], script, await internet());
    const [first] = await pendingIds(scene);
    expect(first?.name).toBe('a.example.com');
    expect((await cordon(scene, ['net', 'allow', String(first?.id)])).stdout).toBe(
      'a.example.com:80 is let through this time\n',
    );
    const again = await next(scene, first?.id);
    const allowed = await cordon(scene, ['net', 'allow', String(again.id), '--launch', '--profile', './p.json']);
    expect(allowed.stdout).toBe('a.example.com:80 is let through for this launch\n');
    const other = await next(scene, again.id);
    expect(other.name).toBe('b.example.com');
    await cordon(scene, ['net', 'deny', other.id]);
    const { stdout } = await running;
    expect(stdout).toBe(
      'a.example.com\na.example.com\na.example.com\ncordon: b.example.com:80 is not let through: no rule names it\n',
    );
    expect(JSON.parse(readFileSync(profile, 'utf8'))).toEqual({ network: { allow: ['a.example.com'] } });
    expect((await cordon(scene, ['net', 'allow', 'ffffff'])).code).not.toBe(0);
  });

  it('a profile that can not take a host stays as it is, and the host waits on', async () => {
    const scene = sceneOf(user);
    const profile = join(scene.home, 'p.json');
    const running = inside(scene, ['ask'], get('a.example.com'), await internet());
    const [first] = await pendingIds(scene);
    for (const text of ['{ "network": { "block": true } }', '{ "network": 7 }', '// a comment\n{}']) {
      writeFileSync(profile, text);
      const { code } = await cordon(scene, ['net', 'allow', String(first?.id), '--profile', './p.json']);
      expect([code, readFileSync(profile, 'utf8')]).toEqual([125, text]);
    }
    expect(await pendingIds(scene)).toEqual([first]);
    await cordon(scene, ['net', 'deny', String(first?.id)]);
    await running;
  });

  it('the log has each connection, without what was sent', async () => {
    const scene = sceneOf(user);
    const port = await listening(echo());
    await inside(
      scene,
      [`api.example.com:80=127.0.0.1:${port}`],
      `${get('api.example.com')}secret-path; ${get('evil.test')}`,
    );
    const { stdout } = await cordon(scene, ['net', 'log']);
    expect(stdout).toMatch(/api\.example\.com:80 +allowed +\d+\/\d+ /);
    expect(stdout).toMatch(/evil\.test:80 +refused +- +no rule names it/);
    expect(stdout).not.toContain('secret-path');
    const records = JSON.parse((await cordon(scene, ['net', 'log', '--json'])).stdout) as { launch: string }[];
    const launched = JSON.parse((await cordon(scene, ['audit', '--json'])).stdout) as { id: string }[];
    expect(new Set(records.map(({ launch }) => launch))).toEqual(new Set(launched.map(({ id }) => id)));
  });
});

async function next(scene: Scene, seen: string | undefined): Promise<{ id: string; name: string }> {
  for (;;) {
    const found = (await pendingIds(scene)).find(({ id }) => id !== seen);
    if (found !== undefined) return found;
  }
}

it('hosts fold to the sets that have most of them', () => {
  expect(foldedHosts(['pypi.org:443', 'files.pythonhosted.org:443', 'x.test:80', 'x.test:443', 'y.test:22'])).toEqual([
    '@pypi',
    'x.test',
    'y.test:22',
  ]);
});

it('what nobody answers in time is refused, and leaves nothing; a word that comes later counts for nothing', async () => {
  const state = openFolder('pending');
  const question = { launch: '1-1', subject: 'curl', policy: 'defaults', name: 'a.example.com', port: 443 };
  const { id, word } = ask(state, question, 300);
  const [waiting] = pendingIn(state);
  expect(waiting).toMatchObject({ ...question, id, pid: process.pid });
  expect(Date.parse(waiting?.until ?? '') - Date.parse(waiting?.time ?? '')).toBe(300);
  expect(await word).toBe('no');
  expect(readdirSync(join(state, 'pending'))).toEqual([]);
  say(state, id, 'launch');
  expect(pendingIn(state)).toEqual([]);
  rmSync(state, { recursive: true });
});
