import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { freshHome, runAs } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';
import { SELF } from '../support/users.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly language: string;
  readonly files: string;
}

const user = SELF;
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;
const [hook] = parse(readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8')) as [Hook];

function repository(): string {
  const folder = freshHome(user);
  mkdirSync(join(folder, '.github/workflows'), { recursive: true });
  writeFileSync(join(folder, '.github/workflows/ci.yml'), 'jobs:\n  a:\n    secrets: inherit\n');
  writeFileSync(join(folder, 'my compose.yaml'), 'services:\n  a:\n    environment: [NPM_TOKEN]\n');
  return folder;
}

/** The step as the runner starts it, its inputs filled in. */
function runAction(folder: string, inputs: Readonly<Record<string, string>> = {}) {
  const [step] = action.runs.steps;
  if (step === undefined) throw new Error('the action has no step');
  const given = (expression: string) =>
    expression.replace(
      /\$\{\{ inputs\.(\w+) \}\}/,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    );
  const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, given(value)]));
  const output = join(folder, 'github-output');
  writeFileSync(output, '');
  const script = join(folder, 'step.sh');
  writeFileSync(script, step.run);
  const ran = runAs('/bin/bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    user,
    home: folder,
    env: { ...env, GITHUB_ACTION_PATH: ROOT, GITHUB_OUTPUT: output },
  });
  return { ...ran, output: readFileSync(output, 'utf8') };
}

it('the action checks what it finds, and fails the build', () => {
  expect(action.runs.using).toBe('composite');
  const { code, stdout } = runAction(repository());
  expect(code).toBe(1);
  expect(stdout).toContain('.github/workflows/ci.yml\n');
});

it('the action checks the files it is told, whatever is in their names, and writes a report', () => {
  const folder = repository();
  const { code, stdout, output } = runAction(folder, {
    files: '\nmy compose.yaml\n',
    format: 'sarif',
    output: 'cordon.sarif',
  });
  const { runs } = JSON.parse(readFileSync(join(folder, 'cordon.sarif'), 'utf8')) as {
    runs: [{ results: { ruleId: string }[] }];
  };
  expect(runs[0].results.map(({ ruleId }) => ruleId)).toEqual(['credential-to-container']);
  expect({ code, stdout, output }).toEqual({ code: 1, stdout: '', output: 'report=cordon.sarif\n' });
});

it('an input is never run as a command', () => {
  const folder = repository();
  const { code, stderr } = runAction(folder, { files: '$(touch pwned); touch pwned\n--format' });
  expect(code).toBe(125);
  expect(stderr).toContain('the file does not exist');
  expect(() => readFileSync(join(folder, 'pwned'))).toThrow();
});

it('the hook runs on the files that check knows', () => {
  expect(hook).toMatchObject({ id: 'cordon-check', language: 'script' });
  const [program, ...args] = hook.entry.split(' ') as [string, ...string[]];
  const folder = repository();
  const { code, stdout } = runAs(join(ROOT, program), [...args, 'my compose.yaml'], { user, home: folder });
  expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('credential-to-container') });
});

it.each([
  ['.github/workflows/ci.yml', true],
  ['deploy/Dockerfile.prod', true],
  ['compose.override.yaml', true],
  ['cordon.toml', true],
  ['.env.example', true],
  ['profiles/web.toml', true],
  ['src/index.ts', false],
  ['package.json', false],
  ['docs/compose.md', false],
])('the hook wants %s: %s', (path, wanted) => {
  const pattern = new RegExp(hook.files.replace('(?x)', '').replace(/\s+/g, ''));
  expect(pattern.test(path)).toBe(wanted);
});
