import { describe, expect, it, test } from 'vitest';
import { COMMANDS, type CommandEntry } from '../../src/cli/commands.ts';
import { flagGroups, usageOf } from '../../src/cli/help.ts';
import { definitions } from '../../src/cli/ui/definitions.ts';
import { runCordon } from '../support/cordon.ts';
import { wordsOf } from './usage-words.ts';

const WIDE = { env: { COLUMNS: '999' } };
const NAMES = COMMANDS.map(({ name }) => name);

describe('cordon --help', () => {
  it('shows every command with what it is for, and is what no word shows too', () => {
    const { code, stdout, stderr } = runCordon(['--help'], WIDE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect(runCordon([], WIDE).stdout).toBe(stdout);
    expect(runCordon(['help'], WIDE).stdout).toBe(stdout);
    for (const flag of ['--help', '-h'])
      expect(runCordon(['help', flag], WIDE)).toEqual({ code: 0, stdout, stderr: '' });
    expect(runCordon(['help', '--help', 'run']).stdout).toBe(runCordon(['run', '--help']).stdout);
  });
});

test('run --json without --dry-run is an error that says so', () => {
  const { code, stdout, stderr } = runCordon(['run', '--json', '--', 'echo', 'started']);
  expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  expect(stderr).toMatch(/--json goes with --dry-run[\s\S]*hint: add --dry-run/);
});

describe.each(NAMES)('cordon %s --help', (name) => {
  const entry = COMMANDS.find((one) => one.name === name) as (typeof COMMANDS)[number];

  it('is complete: usage, every flag, an example', () => {
    const { code, stdout, stderr } = runCordon([name, '--help'], WIDE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { term } of usageOf(entry)) expect(stdout).toContain(`  ${term}`);
    for (const { name: flag, help } of entry.flags)
      expect(stdout).toMatch(new RegExp(`^  ${flag}\\b.*  ${escaped(help)}$`, 'm'));
    expect(entry.examples.length).toBeGreaterThan(0);
    for (const line of entry.examples) expect(stdout).toContain(`\n  ${line}\n`);
    expect(runCordon(['help', name], WIDE).stdout).toBe(stdout);
  });

  it('names in its usage no flag that it does not have', () => {
    const known = [...entry.flags.map((flag) => flag.name), '--'];
    const named = usageOf(entry).flatMap(({ term }) => term.match(/--[a-z-]*/g) ?? []);
    expect(named.filter((flag) => !known.includes(flag))).toEqual([]);
  });

  it('keeps to the width of a terminal, in columns', () => {
    for (const { flags } of flagGroups(entry)) {
      const lines = definitions(flags, { width: 80 });
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      const columns = flags.map(({ term, text }) => {
        const line = lines.find((one) => one.startsWith(`  ${term}  `)) ?? '';
        return line.indexOf(text.split(' ')[0] as string, term.length + 3);
      });
      expect(new Set(columns).size).toBe(1);
    }
  });

  it('is where a mistake leads to', () => {
    const { code, stdout, stderr } = runCordon([name, ...wordsOf(entry).slice(0, 1), '--no-such-flag']);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toMatch(/^cordon: .*\n {2}hint: \S.*\n$/);
  });
});

it.each(['agent', 'creds', 'profile', 'tool', 'net', 'changes'])('%s takes the words that its help shows', (name) => {
  const { stderr } = runCordon([name, 'zzzzzz']);
  const taken = /it takes ([a-z, ]+)/.exec(stderr)?.[1]?.split(', ') ?? [];
  expect(taken.toSorted()).toEqual(wordsOf(COMMANDS.find((entry) => entry.name === name) as CommandEntry).toSorted());
});

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
