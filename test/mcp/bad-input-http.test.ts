import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { connectHttp, INITIALIZE, post, serve } from './http-support.ts';
import { bash, call, Place } from './support.ts';
import { reach, TRANSPORTS } from './transports.ts';

const BAD_USERS = ['../bob', 'a/b', '..', 'bob\0', '\u0430lice', 'x'.repeat(300), ''];

/** Each leaves a skill that cannot be. */
const BAD_SKILLS: readonly (readonly [string, (place: Place) => void, RegExp])[] = [
  ['empty', (place) => place.skill('a', ''), /empty/],
  ['binary', (place) => place.write(join(place.skills, 'a/SKILL.md'), Buffer.from([0xff, 0, 1])), /no text/],
  [
    'two of one name',
    (place) => {
      place.skill('a-b', '# x\n');
      place.skill('a_b', '# y\n');
    },
    /two skills would be the tool skill_a_b/,
  ],
  [
    'a link out',
    (place) => {
      place.skill('a', '# x\n', { name: 'run.sh', text: 'true\n' });
      symlinkSync('/etc/passwd', join(place.skills, 'a/scripts/data'));
    },
    /link out of the skill/,
  ],
];

describe.each(USERS)('bad input to the servers of %s', (user) => {
  test.each(BAD_SKILLS)('a skill that is %s: neither server starts', async (_, spoil, why) => {
    const place = new Place(user);
    spoil(place);
    const commands = [
      ['mcp', '--user', 'alice', '--workspace', place.workspaceOf('alice'), '--skills', place.skills],
      ['serve', '--workspaces', place.workspaces, '--listen', '127.0.0.1:0', '--skills', place.skills],
    ];
    for (const command of commands) {
      const server = place.start(command);
      expect(await server.ended).toBe(125);
      expect(server).toMatchObject({ stdout: '', stderr: expect.stringMatching(why) });
    }
  });

  test('what no session could be opened with keeps the HTTP server from starting', async () => {
    const place = new Place(user);
    place.skill('shared', '# x\n', { name: 'run.sh', text: 'true\n' });
    renameSync(place.skills, join(place.workspaceOf('alice'), 'skills'));
    const cases: [string[], RegExp][] = [
      [['--workspaces', join(place.workspaces, 'none')], /folder of the workspaces is not there/],
      [['--workspaces', place.workspaces, '--profile', 'nobody'], /nobody/],
      [['--workspaces', place.workspaces, ...place.profile('session: { memory: lots }\n')], /memory/],
      [
        ['--workspaces', place.workspaces, '--skills', join(place.workspaceOf('alice'), 'skills')],
        /'shared' lies among the workspaces, where commands can change it/,
      ],
    ];
    for (const [flags, why] of cases) {
      const server = place.start(['serve', '--listen', '127.0.0.1:0', ...flags]);
      expect(await server.ended).toBe(125);
      await server.says(why);
    }
  });

  test('a token for a name that is none opens nothing, whoever wrote it', async () => {
    const served = await serve(user);
    for (const [i, name] of BAD_USERS.entries()) {
      const token = `cordon_made-by-hand-${i}`;
      const record = { user: name, sha256: createHash('sha256').update(token).digest('hex'), created: '2026-01-01' };
      served.place.write(join(served.place.home, 'tokens', `0000000${i}.json`), JSON.stringify(record), 0o600);
      const answer = await post(served, token, INITIALIZE);
      expect([name, answer.status]).toEqual([name, 500]);
      expect(await answer.text()).toContain('the log of the server says why');
    }
    await served.server.says('is not the name of a user');
    expect((await bash(await connectHttp(served, served.tokens.alice), 'echo fine')).data.output).toBe('fine');
  });

  test.each([
    ['a link out', (path: string) => symlinkSync('/etc', path)],
    ["a link to another user's", (path: string) => symlinkSync('bob', path)],
    ['a file', (path: string, place: Place) => place.write(path, '')],
  ])('a workspace that is %s is not used, and no path is told', async (_, put) => {
    const served = await serve(user);
    const workspace = served.place.workspaceOf('alice');
    rmSync(workspace, { recursive: true });
    put(workspace, served.place);
    const answer = await post(served, served.tokens.alice, INITIALIZE);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain(served.place.workspaces);
    await served.server.says(/cannot be the workspace of a session: it is (a symbolic link|no folder)/);
  });

  test.each(TRANSPORTS)(
    'a workspace that is replaced in mid-session is not used, and no path is told (%s)',
    async (transport) => {
      const place = new Place(user);
      const { client } = await reach(transport, place);
      const workspace = place.workspaceOf('alice');
      renameSync(workspace, `${workspace}.old`);
      symlinkSync('/etc', workspace);
      const refused = await bash(client, 'ls');
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('it is a symbolic link') });
      expect(refused.text).not.toContain(place.workspaces);
      rmSync(workspace);
      mkdirSync(workspace);
      expect((await bash(client, 'ls')).text).toContain('another folder has taken its place');
    },
  );

  test('arguments beyond what the kernel takes are refused in words', async () => {
    const place = new Place(user);
    place.skill('count', '# x\n', { name: 'run.sh', text: '#!/bin/bash\necho "$#"; cat | wc -c\n' });
    const { client } = await reach('stdio', place);
    const many = await call(client, 'skill_count', { args: Array(30).fill('y'.repeat(100_000)) });
    expect(many).toMatchObject({ isError: true, text: expect.stringContaining('more than 1500000 bytes') });
    const some = await call(client, 'skill_count', {
      args: Array(5).fill('y'.repeat(100_000)),
      input_data: 'z'.repeat(5e6),
    });
    expect(some.data.output).toBe('5\n5000000');
  });
});
