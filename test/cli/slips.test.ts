import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { table } from '../../src/cli/ui/table.ts';
import { freshHome, runCordon } from '../support/cordon.ts';

it.each([
  [['--net', 'of'], 'did you mean --net off?'],
  [['--net', 'npm'], 'did you mean --net @npm?'],
  [['--net', '@nmp'], 'did you mean @npm?'],
  [['--broker', '@githb'], 'did you mean @github?'],
])('%j is told what was meant, and starts nothing', (flags, hint) => {
  const { code, stderr, stdout } = runCordon(['run', ...flags, '--', 'echo', 'started']);
  expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  expect(stderr).toContain(hint);
});

it.each([
  ['a host of one word, with its port', ['--net', 'npm:443']],
  ['a host of one word that is like nothing', ['--net', 'registry']],
])('%s is one', (_, flags) => {
  expect(runCordon(['run', ...flags, '--dry-run', '--', 'true']).code).toBe(0);
});

it('a folder to write that is absent is to be made first', () => {
  const home = freshHome('root');
  mkdirSync(join(home, 'work'));
  const { stderr } = runCordon(['run', '--write', join(home, 'none'), '--', 'true'], { home, cwd: join(home, 'work') });
  expect(stderr).toContain(`${home}/none is not there; make it first (mkdir -p), to have it written for real\n`);
});

it('a folder is not to be made executable', () => {
  const { code, stderr } = runCordon(['run', '--', '/usr/share']);
  expect(code).toBe(126);
  expect(stderr).toContain('/usr/share is a folder; give the path of a command in it');
  expect(stderr).not.toContain('chmod');
});

it('a slip in --version is told', () => {
  expect(runCordon(['--verison']).stderr).toContain('did you mean cordon --version?');
});

it('a table for 80 columns cuts no id, host or variable in two', () => {
  const launch = '1795000000123456789-12345';
  const colour = { out: false, err: false };
  const titles = ['LAUNCH', 'TIME', 'COMMAND', 'FILES', 'SIZE', 'WORKSPACE'];
  const rows = [[launch, '11-18 06:00', 'a-long-command-name', '12 folders', '1023.9 KiB', '~/work/project/in/it']];
  const shown = table({ titles, fold: ['COMMAND', 'FILES', 'WORKSPACE'], rows }, { columns: 80, colour });
  expect(shown).toContain(launch);
  for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const long = [['registry.some-company.example:8443', `${'a few words '.repeat(9)}SOME_LONG-VARIABLE_NAME`]];
  const hosts = table({ titles: ['HOST', 'WHY'], fold: ['HOST', 'WHY'], rows: long }, { columns: 70, colour });
  expect(hosts).toContain('registry.some-company.example:8443');
  expect(hosts).toContain('SOME_LONG-VARIABLE_NAME');
});
