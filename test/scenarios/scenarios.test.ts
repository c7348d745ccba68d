import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';
import { USERS, type User } from '../support/users.ts';

/**
 * A scenario reads like a terminal session. `$` runs a line in bash, `>` is a line of its output, `2>` a line of its error output, `!` its exit
 * code (0 when not said). `…` stands for anything; an output line that isn't written down is a failure, unless the step ends with a lone `> …`.
 */
interface Step {
  readonly command: string;
  readonly line: number;
  readonly out: string[];
  readonly err: string[];
  code: number;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

function parse(text: string): Step[] {
  const steps: Step[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const step = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), line: i + 1, out: [], err: [], code: 0 });
    else if (step !== undefined && line.startsWith('> ')) step.out.push(line.slice(2));
    else if (step !== undefined && line.startsWith('2> ')) step.err.push(line.slice(3));
    else if (step !== undefined && line.startsWith('! ')) step.code = Number(line.slice(2));
    else if (line !== '' && !line.startsWith('#'))
      throw new Error(`line ${i + 1} is neither a step nor a comment: ${line}`);
  }
  return steps;
}

function matcher(expected: readonly string[]): RegExp {
  const literal = (line: string) =>
    line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^\\n]*');
  const open = expected.at(-1) === '…';
  const lines = (open ? expected.slice(0, -1) : expected).map((line) => `${literal(line)}\n`).join('');
  return new RegExp(`^${lines}${open ? '[\\s\\S]*' : ''}$`);
}

interface Stage {
  readonly user: User;
  readonly home: string;
  /** A project: a home as a whole is nobody's workspace. */
  readonly cwd: string;
}

function play(step: Step, stage: Stage): void {
  const path = `${dirname(cordonProgram())}:/usr/local/bin:/usr/bin:/bin`;
  const ran = runAs('/bin/bash', ['-c', step.command], { ...stage, env: { PATH: path, TERM: 'dumb' } });
  const told = `line ${step.line}: ${step.command}\n${ran.stdout}${ran.stderr}`;
  expect(ran.code, told).toBe(step.code);
  expect(ran.stdout, told).toMatch(matcher(step.out));
  expect(ran.stderr, told).toMatch(matcher(step.err));
}

describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.scenario')))('%s', (file) => {
  it.each(USERS)('as %s', (user) => {
    const stage = { user, home: freshHome(user), cwd: freshHome(user) };
    for (const step of parse(readFileSync(join(FOLDER, file), 'utf8'))) play(step, stage);
  });
});
