import { expect, it } from 'vitest';
import { hanging } from '../../src/cli/ui/definitions.ts';
import { freshHome, runCordon } from '../support/cordon.ts';
import { SELF } from '../support/users.ts';

const user = SELF;

it('help that is piped fits 80 columns, or as many as COLUMNS says', () => {
  const longest = (env: Record<string, string>) =>
    Math.max(
      ...runCordon(['run', '--help'], { user, env })
        .stdout.split('\n')
        .map((line) => line.length),
    );
  expect(longest({})).toBeLessThanOrEqual(80);
  expect(longest({ COLUMNS: '140' })).toBeGreaterThan(80);
});

it('help names no page that is not there', () => {
  expect(runCordon(['run', '--help'], { user }).stdout).toContain('More: man cordon');
});

it('a line that is too long goes on deeper, between words', () => {
  expect(hanging(`  hint: ${'word '.repeat(12).trim()}`, 40)).toBe(
    `  hint: word word word word word word\n    word word word word word word`,
  );
});

it('audit tells a filter that fits nothing from a record that is empty', () => {
  const home = freshHome(user);
  expect(runCordon(['audit'], { user, home }).stdout).toBe('nothing was launched\n');
  runCordon(['run', '--', 'true'], { user, home });
  expect(runCordon(['audit', '--command', 'nosuch'], { user, home }).stdout).toBe('no launch matches\n');
});

it('a profile of an agent does not warn that nobody has logged in yet, and a mistyped path does', () => {
  const home = freshHome(user);
  expect(runCordon(['run', '--profile', 'claude-code', '--', 'true'], { user, home }).stderr).not.toContain(
    'is not there',
  );
  expect(runCordon(['run', '--expose', '~/.shh', '--', 'true'], { user, home }).stderr).toContain('is not there');
});

it('a rehearsal shows what a policy says of places under the rest', () => {
  const { stdout } = runCordon(['run', '--dry-run', '--hide', '/opt', '--', 'true'], { user });
  expect(stdout).toMatch(/^ {2}hide +\/opt$/m);
});
