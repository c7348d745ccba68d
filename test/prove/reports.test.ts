import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { GROUPS } from '../../prove/probe.ts';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { SELF, USERS } from '../support/users.ts';
import { only, proof, prove, SOME } from './support.ts';

// Draft 4, of which it uses nothing that the later drafts read otherwise, save these two keys.
const require = createRequire(import.meta.url);
const {
  $schema: _,
  id: __,
  ...schema
} = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as Record<string, unknown>;
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

const FIELDS = ['id', 'title', 'group', 'gives', 'planted', 'tried', 'reference', 'promise'];

describe.each(USERS)('as %s', (user) => {
  it('the table has a line for each group, its columns line up, and there are no colours', () => {
    const { code, stdout, stderr } = prove(['--under', 'env -i', ...only(...SOME)], { user });
    expect([code, stderr]).toEqual([0, '']);
    const [head = '', ...lines] = stdout.split('\n').slice(0, 6);
    expect(head).toMatch(/^group +probes +nothing +cordon +env -i$/);
    expect(lines.map((line) => line.split(/ +/)[0])).toEqual(['environment', 'processes', 'files', 'network', 'all']);
    const at = head.indexOf('cordon');
    expect(lines.map((line) => line.slice(at).split('  ')[0])).toEqual([
      '1 blocked',
      '1 blocked',
      '1 blocked',
      '1 open',
      '1 open, 3 blocked',
    ]);
    expect(stdout).toContain('Open: this policy lets it leak\n  network/loopback  gives ');
    expect(stdout).toContain('Leaked under env -i\n  processes/environ-of-parent  ');
    expect(stdout).toMatch(/\ncordon held what the policy promises: 3 ways blocked; 1 open\nhint: /);
    expect(stdout).not.toContain('\x1b');
  });

  it('JSON has all that was tried, under which launchers, with what came of it', () => {
    const report = proof(['--set', 'A=secret', '--under', 'env -i', ...only(...SOME)], { user });
    const { version, machine, launchers, probes, results, counts } = report;
    expect([version, report.verdict, report.complete]).toEqual([1, 'held', true]);
    expect(new Date(report.date).getTime()).toBeGreaterThan(Date.now() - 120_000);
    expect(machine).toMatchObject({ system: 'linux', user: user === 'root' ? 'root' : 'ordinary' });
    expect(launchers.map(({ title, kind, flags }) => [title, kind, flags])).toEqual([
      ['nothing', 'nothing', null],
      ['cordon', 'cordon', '--set A=***'],
      ['env -i', 'other', null],
    ]);
    expect(probes.map((probe) => Object.keys(probe))).toEqual(SOME.map(() => FIELDS));
    expect(probes.every((probe) => FIELDS.every((field) => probe[field] !== ''))).toBe(true);
    expect(results).toHaveLength(SOME.length * launchers.length);
    expect(
      counts.map(({ launcher, leaked, open, blocked, notApplicable }) => [
        launcher,
        leaked,
        open,
        blocked,
        notApplicable,
      ]),
    ).toEqual([
      ['nothing', 4, 0, 0, 0],
      ['cordon', 0, 1, 3, 0],
      ['env -i', 3, 0, 1, 0],
    ]);
  });

  it('SARIF is valid by its schema; what is open is a note', () => {
    const { code, stdout } = prove(['--sarif', '--isolation', 'filter', ...only(...SOME)], { user });
    expect(code).toBe(0);
    const sarif = JSON.parse(stdout);
    expect(validate(sarif), JSON.stringify(validate.errors)).toBe(true);
    const [{ tool, results, invocations }] = sarif.runs;
    expect(tool.driver.rules.map(({ id }: { id: string }) => id).toSorted()).toEqual([...SOME].toSorted());
    expect(results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).toEqual([
      ['processes/environ-of-parent', 'note'],
      ['files/ssh', 'note'],
      ['network/loopback', 'note'],
    ]);
    expect(invocations[0].executionSuccessful).toBe(true);
  });

  it('the page is written beside the table, and replaces an older one whole', () => {
    const home = freshHome(user);
    const run = () => prove(['--html', 'proof.html', ...only(SOME[0])], { user, home });
    expect(run()).toMatchObject({ code: 0, stdout: expect.stringContaining('the page is in proof.html') });
    const first = readFileSync(join(home, 'proof.html'), 'utf8');
    expect(run().code).toBe(0);
    const second = readFileSync(join(home, 'proof.html'), 'utf8');
    for (const page of [first, second]) expect(page).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(existsSync(join(home, 'proof.html'))).toBe(true);
  });
});

describe('on a terminal', () => {
  const TERMINAL = `
import os, pty, sys, fcntl, termios, struct
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
try:
    while text := os.read(terminal, 4096): os.write(1, text)
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
  const onTerminal = (columns: number, ...flags: readonly string[]) =>
    runAs('python3', ['-c', TERMINAL, String(columns), cordonProgram(), 'prove', ...flags], {
      env: { TERM: 'xterm' },
      user: SELF,
    });

  it('there is a bar while it runs, and colours', () => {
    const { stdout } = onTerminal(120, '--under', 'env -i', ...only(...SOME));
    expect(stdout).toMatch(/\[░{24}\] 0 of 4 probes/);
    expect(stdout).toMatch(/\[█{24}\] 4 of 4 probes/);
    expect(stdout).toContain('\x1b[32m1 blocked\x1b[0m');
    expect(stdout).toContain('\x1b[33m1 open\x1b[0m');
    expect(stdout).toContain('\x1b[31m1 leaked\x1b[0m');
  });

  it('a narrow one gets signs instead of words', () => {
    const { stdout } = onTerminal(50, '--under', 'env -i', ...only(...SOME));
    expect(stdout).toMatch(/all .*1○ 3✓/);
    expect(stdout).toContain('✗ leaked');
  });
});

it('docs/prove.md names every group as it is', () => {
  const page = readFileSync(new URL('../../docs/prove.md', import.meta.url), 'utf8');
  const rows = Object.entries(GROUPS).map(([group, about]) => `| \`${group}\` | ${about} |`);
  expect(page).toContain(['| group | what it tries |', '|---|---|', ...rows, ''].join('\n'));
});
