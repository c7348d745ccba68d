import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshHome, runCordon } from '../support/cordon.ts';
import { SELF } from '../support/users.ts';

const user = SELF;

it('records have folder, preset, network and duration, and can be chosen among', () => {
  const home = freshHome(user);
  const run = (...args: readonly string[]) => runCordon(args, { user, home });
  run('run', '--net', 'off', '--fs', 'workspace', '--', 'true');
  run('run', '--', 'sh', '-c', 'exit 4');
  const old = { time: '2020-01-01T00:00:00Z', id: '1-1', command: '/bin/old', policy: 'x', user: 'u41', exit: 0 };
  appendFileSync(join(home, '.local/state/cordon/audit.jsonl'), `${JSON.stringify(old)}\n`);
  const records = (...flags: readonly string[]) => JSON.parse(run('audit', '--json', ...flags).stdout);
  expect(records()[0]).toMatchObject({
    folder: home,
    preset: 'workspace',
    network: 'off',
    duration_ms: expect.any(Number),
  });
  expect(records('--command', 'sh')).toMatchObject([{ preset: 'guarded', network: 'on', exit: 4 }]);
  expect(records('--since', '1h')).toHaveLength(2);
  expect(records('--since', '2019-12-31')).toHaveLength(3);
  expect(records('--user', 'u41')).toMatchObject([{ command: '/bin/old' }]);
  expect(run('audit', '--since', 'soon')).toMatchObject({ code: 125, stderr: expect.stringContaining('30m, 12h, 7d') });
  expect(run('audit').stdout).toMatch(/^TIME +COMMAND +FOLDER +POLICY +FILES +NET +TOOK +EXIT\n/);
});
