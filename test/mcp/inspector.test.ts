import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openFolder, ROOT } from '../support/project.ts';
import { USERS } from '../support/users.ts';
import { serve } from './http-support.ts';
import { ownValue, Place } from './support.ts';

const require = createRequire(import.meta.url);
let program: string | undefined;

/** The package of its command line mode looks for the package it is a part of two folders up. */
function inspector(): string {
  if (program === undefined) {
    const whole = openFolder('inspector');
    const part = dirname(require.resolve('@modelcontextprotocol/inspector-cli/package.json'));
    cpSync(part, join(whole, 'cli'), { recursive: true });
    cpSync(join(whole, 'cli/package.json'), join(whole, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(whole, 'node_modules'));
    program = join(whole, 'cli/build/cli.js');
  }
  return program;
}

/** The inspector without its window; what it prints is JSON. */
async function inspect(args: readonly string[], place: Place): Promise<Record<string, unknown>> {
  const child = spawn(process.execPath, [inspector(), '--cli', ...args], {
    cwd: place.home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the inspector said: ${await stderr}`);
  return JSON.parse(await stdout);
}

const BASH = ['--method', 'tools/call', '--tool-name', 'Bash', '--tool-arg', 'command=echo "$OWN_KEY"; exit 3'];

describe.each(USERS)('the MCP inspector, with Cordon as %s', (user) => {
  function placeWithSkill(): Place {
    const place = new Place(user);
    place.skill('my-skill', '---\nname: my-skill\ndescription: Counts\n---\n', {
      name: 'run.sh',
      text: '#!/bin/bash\ncat; echo "$1"\n',
    });
    place.skill('manners', 'name: manners\ndescription: How to behave\n');
    return place;
  }

  async function expectAll(ask: (args: readonly string[]) => Promise<Record<string, unknown>>) {
    const { tools } = await ask(['--method', 'tools/list']);
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['Bash', 'skill_my_skill']);
    expect(await ask(BASH)).toMatchObject({
      isError: true,
      structuredContent: { exit_code: 3, output: ownValue('alice') },
    });
    const skill = [
      '--method',
      'tools/call',
      '--tool-name',
      'skill_my_skill',
      '--tool-arg',
      'args=["one"]',
      'input_data=in ',
    ];
    expect(await ask(skill)).toMatchObject({ structuredContent: { output: 'in one' } });
    expect(await ask(['--method', 'prompts/list'])).toMatchObject({ prompts: [{ name: 'manners' }] });
    expect(await ask(['--method', 'resources/list'])).toMatchObject({ resources: [{ name: 'manners' }] });
  }

  test('drives cordon mcp on stdio', async () => {
    const place = placeWithSkill();
    const { command, args } = place.command([
      'mcp',
      '--user',
      'alice',
      '--workspace',
      place.workspaceOf('alice'),
      '--skills',
      place.skills,
    ]);
    const config = join(place.home, 'clients.json');
    place.write(config, JSON.stringify({ mcpServers: { cordon: { command, args, env: place.env() } } }));
    await expectAll((more) => inspect(['--config', config, '--server', 'cordon', ...more], place));
  });

  test('drives cordon serve over HTTP', async () => {
    const place = placeWithSkill();
    const { origin, tokens } = await serve(user, ['--skills', place.skills], place);
    const at = [`${origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${tokens.alice}`];
    await expectAll((more) => inspect([...at, ...more], place));
  });
});
