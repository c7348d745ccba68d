import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, GLOBAL_VALUE, ownValue, Place } from '../mcp/support.ts';
import { cordonProgram, freshHome } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';
import { callInTurn } from './model/protocol.ts';
import { type Model, startModel } from './model/server.ts';

const PROGRAMS = process.env.CORDON_AGENT_PROGRAMS ?? '';
if (PROGRAMS === '') throw new Error('.ci/agents starts these tests, it brings the programs');

const OPERATORS = 'canary-of-the-operator-81c4';
const MODEL_KEY = 'key-of-the-model-77ab';
const BASH = 'mcp__cordon__Bash';
const SKILL = 'mcp__cordon__skill_note_down';
const LOOK = 'env | sort; pwd; readlink /proc/self/ns/pid; ls /workspace; echo by-bash > by-bash.txt';
const CALLS = [
  { tool: BASH, arguments: { command: LOOK } },
  { tool: SKILL, arguments: { args: ['first', 'second'], input_data: 'typed in' } },
];

function placeWithSkill(user: User): Place {
  const place = new Place(user);
  place.skill('note-down', '---\nname: note-down\ndescription: Notes something down\n---\n', {
    name: 'run.sh',
    text: '#!/bin/bash\n{ printf "<%s>" "$@"; cat; echo " $OWN_KEY"; } | tee /workspace/by-skill.txt\n',
  });
  return place;
}

/** The configuration that docs/mcp.md shows. */
function configuration(place: Place): string {
  const path = join(place.home, 'clients.json');
  const flags = ['--user', 'alice', '--workspace', place.workspaceOf('alice'), '--skills', place.skills];
  const env = { CORDON_HOME: place.home };
  place.write(
    path,
    JSON.stringify({ mcpServers: { cordon: { command: cordonProgram(), args: ['mcp', ...flags], env } } }),
  );
  return path;
}

const FLAGS = ['--print', '--model', 'claude-sonnet-4-5', '--strict-mcp-config', '--disallowedTools', 'Bash'];

async function runClaude(place: Place, model: Model) {
  const home = freshHome(place.user);
  const args = [...FLAGS, '--allowedTools', `${BASH},${SKILL}`, '--mcp-config', configuration(place)];
  const keys = { ANTHROPIC_BASE_URL: model.address, ANTHROPIC_API_KEY: MODEL_KEY, GITHUB_TOKEN: OPERATORS };
  // Tools of servers are else offered only after a search for them, which takes a cleverer model than ours.
  const all = { ENABLE_TOOL_SEARCH: 'false', ...keys };
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, SHELL: '/bin/bash', ...all };
  const { uid, gid } = identityOf(place.user);
  const options = {
    uid,
    gid,
    cwd: home,
    env: Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }, env),
  };
  const child = spawn(join(PROGRAMS, 'claude'), args, { ...options, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end('Note something down.');
  const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

describe.each(USERS)('Claude Code with cordon mcp, as %s', (user) => {
  it('runs Bash and a skill in the sandbox, with the secrets of its user and no others', async () => {
    const place = placeWithSkill(user);
    const seen: string[] = [];
    const inTurn = callInTurn(CALLS);
    const model = await startModel((asked) => {
      seen.splice(0, seen.length, ...(asked.results ?? []));
      return inTurn(asked);
    });
    onTestFinished(() => model.close());
    const ran = await runClaude(place, model);
    const all = [JSON.stringify(ran).slice(0, 4000), ...model.requests, ...seen].join('\n');
    expect([ran.code, ran.stdout.trim()], all).toEqual([0, 'All done.']);
    const [bash = '', skill = ''] = seen;
    for (const line of [
      'HOME=/workspace',
      'PATH=/usr/bin:/bin',
      `OWN_KEY=${ownValue('alice')}`,
      `SHARED=${GLOBAL_VALUE}`,
    ])
      expect(bash, all).toContain(line);
    expect(bash, all).toContain('/workspace\\npid:[');
    expect(bash, all).not.toContain(readlinkSync('/proc/self/ns/pid'));
    expect(skill, all).toContain(`<first><second>typed in ${ownValue('alice')}`);
    const said = model.bodies.join('\n');
    for (const other of [OPERATORS, MODEL_KEY, ownValue('bob'), 'not-of-a-user']) expect(said).not.toContain(other);
    const before = model.bodies.filter((body) => !body.includes('tool_result')).join('\n');
    expect(before).toContain('OWN_KEY');
    for (const own of [ownValue('alice'), GLOBAL_VALUE]) expect(before).not.toContain(own);
    expect(readFileSync(join(place.workspaceOf('alice'), 'by-bash.txt'), 'utf8')).toBe('by-bash\n');
    expect(readFileSync(join(place.workspaceOf('alice'), 'by-skill.txt'), 'utf8')).toContain(ownValue('alice'));
    expect(readdirSync(place.workspaceOf('bob'))).toEqual([]);
    // The server ends after the client that started it.
    await eventually(() => expect(place.leftovers()).toEqual([]));
  });
});
