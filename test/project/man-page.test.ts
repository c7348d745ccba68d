import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: a script without types, as scripts are.
import { manPage } from '../../scripts/lib/man-page.mjs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { flagGroups, sentence, usageOf } from '../../src/cli/help.ts';
import { POLICY_FLAGS } from '../../src/cli/run-flags.ts';
import { CONTROL_VARIABLES } from '../../src/host/control.ts';
import { ROOT } from '../support/project.ts';

const FILE = join(ROOT, 'man', 'cordon.1');
const { version, man } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  man: string[];
};

const policyFlags = flagGroups({ flags: POLICY_FLAGS })[1]?.flags ?? [];
const written = (commands: typeof COMMANDS): string =>
  manPage({ commands, flagGroups, policyFlags, sentence, usageOf, version });

function shown(): string {
  const env = { PATH: process.env.PATH, MANWIDTH: '200', LC_ALL: 'C.UTF-8' };
  return execFileSync('man', ['--local-file', '--no-hyphenation', FILE], { env, encoding: 'utf8' });
}

test('the page in the repository is the one of this program: node scripts/man-page.mjs writes it', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(written(COMMANDS));
  expect(man).toEqual(['man/cordon.1']);
});

test('groff and mandoc have nothing to say against it', () => {
  const groff = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8', FILE], { encoding: 'utf8' });
  expect({ status: groff.status, stderr: groff.stderr }).toEqual({ status: 0, stderr: '' });
  const mandoc = spawnSync('mandoc', ['-T', 'lint', FILE], { encoding: 'utf8' });
  expect({ status: mandoc.status, stdout: mandoc.stdout }).toEqual({ status: 0, stdout: '' });
});

test('it shows every command, flag, exit code and variable of ours', () => {
  const page = shown();
  for (const entry of COMMANDS) {
    for (const { term } of usageOf(entry)) expect(page).toContain(term.replaceAll('…', '...'));
    for (const line of entry.examples) expect(page).toContain(`    ${line}`);
    for (const { name } of entry.flags) expect(page).toContain(name);
  }
  for (const code of ['125', '126', '127', '128+n']) expect(page).toContain(code);
  for (const name of CONTROL_VARIABLES.filter((one) => one !== 'CORDON_FRONT')) expect(page).toContain(name);
});

test('a character that roff may not know is refused, not written', () => {
  const [first] = COMMANDS;
  const strange = { ...first, summary: 'a → b' } as (typeof COMMANDS)[number];
  expect(() => written([strange])).toThrow("no way to write '→'");
});
