import { readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../support/project.ts';
import { USERS } from '../support/users.ts';
import {
  bash,
  call,
  connectStdio,
  errorCodes,
  eventually,
  GLOBAL_VALUE,
  isRunning,
  ownValue,
  Place,
  uniqueSleep,
  WITHOUT_BARRIER,
} from './support.ts';

const hostPath = (place: Place, inside: unknown) =>
  join(place.workspaceOf('alice'), String(inside).slice('/workspace/'.length));

describe.each(USERS)('cordon mcp as %s', (user) => {
  test.each(['legacy', 'auto'] as const)(
    'Bash sees its user’s variables and nothing else (%s protocol)',
    async (era) => {
      const { client } = await connectStdio(new Place(user), { era, env: { CANARY_TOKEN: 'canary-value' } });
      const { data, isError } = await bash(client, 'env -u _ -u PWD -u SHLVL | sort');
      expect(isError).toBe(false);
      expect(data.output).toBe(
        ['HOME=/workspace', `OWN_KEY=${ownValue('alice')}`, 'PATH=/usr/bin:/bin', `SHARED=${GLOBAL_VALUE}`].join('\n'),
      );
      expect(client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
    },
  );

  test.each(['legacy', 'auto'] as const)('a resource that is not there is named in the answer (%s)', async (era) => {
    const place = new Place(user);
    place.skill('kind', '---\nname: kind\ndescription: how to be\n---\nBe kind.\n');
    const { client, transport } = await connectStdio(place, { era });
    const codes = errorCodes(transport);
    const uri = 'skill://none/SKILL.md';
    await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } });
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow();
    expect(codes).toEqual([era === 'legacy' ? -32_002 : -32_602, -32_602]);
  });

  test('promises no news of lists that never change, and says that the network is off', async () => {
    const { client } = await connectStdio(new Place(user));
    const capabilities = client.getServerCapabilities();
    for (const kind of ['tools', 'prompts', 'resources'] as const)
      expect(capabilities?.[kind]?.listChanged ?? false).toBe(false);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'Bash')?.description).toMatch(/network/i);
  });

  test('exit codes are the command’s own; a time limit is said in words', async () => {
    const { client } = await connectStdio(new Place(user));
    for (const [command, code] of [
      ['exit 3', 3],
      ['exit 124', 124],
      ['exit 125', 125],
      ['kill -9 $$', 137],
      ['true', 0],
    ] as const) {
      const { text, data, isError } = await bash(client, command);
      expect(data).toMatchObject({ exit_code: code, timed_out: false });
      expect(text).toContain(`[exit code ${code};`);
      expect(text).not.toMatch(/limit/);
      expect(isError).toBe(code !== 0);
    }
    const sleep = uniqueSleep();
    const { text, data, isError } = await bash(client, `echo before; sleep ${sleep}`, { timeout_ms: 2000 });
    expect(text).toMatch(/^before\n\n\[Cordon: this call hit the time limit of 2 s/);
    expect({ ...data, isError }).toMatchObject({
      timed_out: true,
      exit_code: 124,
      isError: true,
      notes: [expect.stringContaining('time limit')],
    });
    expect(isRunning(sleep)).toBe(false);
  });

  test('the lines asked for are shown, and all of the output is kept', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place);
    const command = 'seq 1 500; printf unfinished';
    const tail = await bash(client, command, { preview_lines: 2 });
    const head = await bash(client, command, { preview_mode: 'head', preview_lines: 3 });
    const none = await bash(client, command, { preview_lines: 0 });
    expect(head.data.output).toBe('1\n2\n3');
    expect(none.data.output).toBe('');
    expect(tail.data).toMatchObject({ output_lines: 501, shown_lines: 2, output_bytes: 1902 });
    const file = hostPath(place, tail.data.output_file);
    expect(readFileSync(file, 'utf8').length).toBe(1902);
    expect(readFileSync(file, 'utf8')).toContain('499\n500\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await bash(client, `wc -c < ${tail.data.output_file}`)).data.output).toBe('1902');
    expect(readFileSync(join(place.workspaceOf('alice'), '.cordon/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('megabytes, endless lines, colours and broken text make a short readable preview', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place);
    const big = await bash(client, 'head -c 3000000 /dev/zero | tr "\\0" x; echo; echo the end', { preview_lines: 5 });
    expect(big.text.length).toBeLessThan(40_000);
    expect(big.text).toContain('the end\n');
    expect(big.data.notes).toBeUndefined();
    expect(big.data.output_bytes).toBe(3_000_009);
    expect(statSync(hostPath(place, big.data.output_file)).size).toBe(3_000_009);
    const odd = await bash(client, "printf '\\033[31mred\\033[0m \\007\\377 \\033]0;title\\007ok\\r\\n'");
    expect(odd.data.output).toBe('red \\x07\ufffd ok');
  });

  test('a script skill takes arguments and input, and has its user’s variables', async () => {
    const place = new Place(user);
    place.skill('my-skill', '---\nname: my-skill\ndescription: Counts things\n---\n# Body\n', {
      name: 'run.sh',
      text: '#!/bin/bash\nprintf "<%s>" "$@"; cat; echo " $OWN_KEY"; exit 7\n',
    });
    place.skill('manners', '---\nname: manners\ndescription: How to behave\n---\nBe kind.\n');
    const { client } = await connectStdio(place);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['Bash', 'skill_my_skill']);
    expect(tools[1]).toMatchObject({ description: 'Counts things' });
    expect(Object.keys(tools[1]?.inputSchema.properties ?? {})).toEqual(['args', 'input_data']);
    const { data, isError } = await call(client, 'skill_my_skill', { args: ['a b', '$(id)'], input_data: 'in' });
    expect(data).toMatchObject({ exit_code: 7, output: `<a b><$(id)>in ${ownValue('alice')}` });
    expect(isError).toBe(true);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'manners', description: 'How to behave' }]);
    expect(JSON.stringify(await client.getPrompt({ name: 'manners' }))).toContain('Be kind.');
    const [resource] = (await client.listResources()).resources;
    expect(JSON.stringify(await client.readResource({ uri: resource?.uri ?? '' }))).toContain('Be kind.');
  });

  test('progress is told while a call runs', async () => {
    const { client } = await connectStdio(new Place(user));
    const told: { progress: number; message?: string | undefined }[] = [];
    // Waited for as well: the client must not be closed while the answer is on its way.
    let going: Promise<unknown> | undefined;
    const { data } = await bash(
      client,
      'echo one; until [ -e go ]; do sleep 0.05; done',
      {},
      {
        onprogress: (one: (typeof told)[number]) => {
          told.push(one);
          if (told.length === 2) going = bash(client, 'touch go');
        },
      },
    );
    expect(data.exit_code).toBe(0);
    await going;
    expect(told[0]?.message).toMatch(/^running for 0\.\d s, 4 bytes in 1 lines so far$/);
    expect(told[1]?.progress).toBeGreaterThan(told[0]?.progress ?? Number.NaN);
  });

  test('cancelling a call ends all of its processes, and the next call works', async () => {
    const { client } = await connectStdio(new Place(user));
    const [first, second] = [uniqueSleep(), uniqueSleep()];
    const stop = new AbortController();
    const running = bash(
      client,
      `trap '' TERM; (setsid sleep ${first} &) ; sleep ${second}`,
      {},
      { signal: stop.signal },
    );
    await eventually(() => expect([isRunning(first), isRunning(second)]).toEqual([true, true]));
    stop.abort();
    await expect(running).rejects.toThrow();
    await eventually(() => expect([isRunning(first), isRunning(second)]).toEqual([false, false]));
    expect((await bash(client, 'echo on')).data.output).toBe('on');
  });

  test('a client that goes away takes its calls along; nothing is left', async () => {
    const place = new Place(user);
    const { client, transport } = await connectStdio(place);
    const sleep = uniqueSleep();
    const running = bash(client, `sleep ${sleep}`).catch(() => 'gone');
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    const { pid } = transport;
    await client.close();
    expect(await running).toBe('gone');
    await eventually(() =>
      expect([isRunning(sleep), readdirSync('/proc').includes(String(pid))]).toEqual([false, false]),
    );
    expect(place.leftovers()).toEqual([]);
  });

  test('a link in the place of the output folder leads nowhere, and Bash can mend it', async () => {
    const place = new Place(user);
    const outside = openFolder('outside');
    const { client } = await connectStdio(place);
    rmSync(join(place.workspaceOf('alice'), '.cordon'), { recursive: true });
    symlinkSync(outside, join(place.workspaceOf('alice'), '.cordon'));
    const { text, data } = await bash(client, 'echo still; rm .cordon');
    expect(data).toMatchObject({ exit_code: 0, output: 'still' });
    expect(text).toContain('the full output was not kept');
    expect(readdirSync(outside)).toEqual([]);
    expect((await bash(client, 'echo again')).data.output_file).toMatch(/^\/workspace\/\.cordon\/output-/);
  });

  test('without a barrier nothing runs, and the refusal says so (F5)', async () => {
    const place = new Place(user);
    place.skill('my-skill', 'name: my-skill\ndescription: d\n', { name: 'run.sh', text: '#!/bin/bash\ntouch ran\n' });
    const { client } = await connectStdio(place, { through: WITHOUT_BARRIER });
    const command = await bash(client, 'touch ran');
    const skill = await call(client, 'skill_my_skill', {});
    expect(command).toMatchObject({ isError: true, text: expect.stringMatching(/^SECURITY ERROR: the Bash command/) });
    expect(skill.text).toMatch(/^SECURITY ERROR: the skill 'my-skill'[\s\S]*hint: cordon doctor says/);
    expect(readdirSync(place.workspaceOf('alice'))).not.toContain('ran');
  });
});
