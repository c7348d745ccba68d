import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installedPackage, runAs } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';
import { Place } from './support.ts';

const library = () => join(installedPackage(), 'dist/index.js');

describe.each(USERS)('as %s', (user) => {
  const run = (place: Place, code: string, env: Readonly<Record<string, string>> = {}) => {
    const script = `const { agents, CordonError } = await import(${JSON.stringify(library())});\n${code}`;
    const args = ['--input-type=module', '-e', script];
    return runAs(process.execPath, args, { user, home: place.home, cwd: place.work, env: { ...place.env, ...env } });
  };

  test('ten agents side by side, in different roles: nothing of one reaches another', () => {
    const place = new Place(user);
    const env = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [
        [`JOB_${at}_TOKEN`, `canary-token-${at}-`],
        [`JOB_${at}_NAME`, `canary-name-${at}-`],
      ]).flat(),
    );
    const fixture = place.file('orchestrator.mjs', '');
    const source = join(import.meta.dirname, 'fixtures/orchestrator.mjs');
    runAs('/bin/cp', [source, fixture], {});
    const { code, stdout, stderr } = runAs(process.execPath, [fixture, library(), place.work], {
      user,
      home: place.home,
      cwd: place.work,
      env: { ...place.env, ...env, GITHUB_TOKEN: 'canary-of-the-operator' },
    });
    expect(code, stderr).toBe(0);
    const results = JSON.parse(stdout) as { exitCode: number; reason: string; passed: string[]; lines: string[] }[];
    expect(results).toHaveLength(10);
    for (const [at, { exitCode, reason, passed, lines }] of results.entries()) {
      expect({ exitCode, reason }).toEqual({ exitCode: 0, reason: 'exited' });
      expect(passed.toSorted()).toEqual(['HOME', `JOB_${at}_NAME`, `JOB_${at}_TOKEN`, 'PATH']);
      const found = [...new Set(lines.filter((line) => line.includes('canary')))].toSorted();
      expect(found).toEqual([`JOB_${at}_NAME=canary-name-${at}-`, `JOB_${at}_TOKEN=canary-token-${at}-`]);
    }
  });

  test('events have types, and the result tells how it ended', () => {
    const place = new Place(user);
    place.standIn(
      'codex',
      `#!/bin/sh
cat > prompt
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"done"}}'
exit 4
`,
    );
    const { stdout } = run(
      place,
      `
const events = [];
const { exitCode, reason, text, decisions } = await agents.spawn({ agent: 'codex', prompt: 'fix it', onEvent: (event) => events.push(event) });
console.log(JSON.stringify({ exitCode, reason, text, events, dropped: decisions.find(({ name }) => name === 'GITHUB_TOKEN') }));`,
      { GITHUB_TOKEN: 'canary' },
    );
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 4,
      reason: 'exited',
      text: 'done',
      events: [
        { type: 'start', session: 't' },
        { type: 'text', text: 'done' },
      ],
      dropped: {
        name: 'GITHUB_TOKEN',
        verdict: 'drop',
        rule: 'guard name-word',
        origin: 'credential guard',
        reason: 'the name contains TOKEN',
      },
    });
  });

  test.each([
    ['a signal that is aborted', 'signal', 'aborted'],
    ['time that is over', 'time', 'timeout'],
  ])('%s: TERM first, KILL where that is not enough', (_, how, reason) => {
    const place = new Place(user);
    const { stdout } = run(
      place,
      `
async function ended(prompt, graceMs) {
  const control = new AbortController();
  const started = Date.now();
  const onEvent = ({ text }) => text === 'ready' && ${how === 'signal' ? 'control.abort()' : 'undefined'};
  const limits = ${how === 'signal' ? '{ signal: control.signal }' : '{ timeoutMs: 2500 }'};
  const result = await agents.spawn({ agent: 'generic', prompt, graceMs, record: true, onEvent, ...limits });
  return [result.reason, result.exitCode, Date.now() - started < 20_000];
}
console.log(JSON.stringify([
  await ended('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done', 15_000),
  await ended('trap "" TERM; echo ready; while :; do sleep 0.05; done', 500),
  await ended('trap "" TERM; (while :; do sleep 0.05; done) & echo ready; wait; wait', 500),
]));`,
    );
    expect(JSON.parse(stdout)).toEqual([
      [reason, 7, true],
      [reason, 137, true],
      [reason, 137, true],
    ]);
    // Each of them is on record, the killed ones too.
    const records = readFileSync(join(place.config, 'state/audit.jsonl'), 'utf8').trim().split('\n');
    expect(records.map((line) => (JSON.parse(line) as { exit: number }).exit)).toEqual([7, 137, 137]);
  });

  test('a signal that was aborted before starts and ends it', () => {
    const { stdout } = run(
      new Place(user),
      `
const { reason } = await agents.spawn({ agent: 'generic', prompt: 'sleep 60', signal: AbortSignal.abort() });
console.log(reason);`,
    );
    expect(stdout).toBe('aborted\n');
  });

  test('1 GB of events takes no more memory than a little', () => {
    const place = new Place(user);
    place.standIn(
      'claude',
      `#!/usr/bin/python3
import json, os
line = (json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 99_000}]}}) + "\\n").encode()
for _ in range(10_100): os.write(1, line) == len(line) or exit(1)
`,
    );
    const { stdout } = run(
      place,
      `
let count = 0;
const { exitCode } = await agents.spawn({ agent: 'claude', prompt: 'x', onEvent: () => count++ });
console.log(exitCode, count, process.resourceUsage().maxRSS < 400_000);`,
    );
    expect(stdout).toBe('0 10100 true\n');
  });

  test('no configuration is read unless it is given; then it is the same as for the program', () => {
    const place = new Place(user);
    place.toml('[roles.release]\nextra_keys = ["NPM_TOKEN"]\n');
    const code = (config: string) => `
let lines = [];
try {
  await agents.spawn({ agent: 'generic', prompt: 'env', role: 'release', ${config} onEvent: ({ text }) => lines.push(text) });
} catch (error) { lines = [error instanceof CordonError, error.message]; }
console.log(JSON.stringify(lines.filter((line) => line === true || /NPM|role/.test(line))));`;
    const env = { NPM_TOKEN: 'n' };
    expect(JSON.parse(run(place, code(''), env).stdout)).toEqual([true, "there is no role 'release'"]);
    expect(JSON.parse(run(place, code(`config: '${place.config}/cordon.toml',`), env).stdout)).toEqual(['NPM_TOKEN=n']);
    expect(
      JSON.parse(run(place, code("config: { roles: { release: { extra_keys: ['NPM_TOKEN'] } } },"), env).stdout),
    ).toEqual(['NPM_TOKEN=n']);
  });

  test('nothing in the options turns the filter off', () => {
    const place = new Place(user);
    const { stdout } = run(
      place,
      `
const lines = [];
const open = { guard: 'off', base: { preset: 'all', origin: 'x' }, allow: [], isolation: 'filter' };
await agents.spawn({ agent: 'generic', prompt: 'env', policy: open, onEvent: ({ text }) => lines.push(text) });
let refused = '';
try { await agents.spawn({ agent: 'generic', prompt: 'env', role: { allow: ['*'] } }); } catch (error) { refused = error.message; }
console.log(JSON.stringify([lines.some((line) => line.includes('canary')), refused]));`,
      { GITHUB_TOKEN: 'canary', OTHER: 'canary' },
    );
    expect(JSON.parse(stdout)).toEqual([false, "'*' asks for every variable, which no agent gets"]);
  });
});
