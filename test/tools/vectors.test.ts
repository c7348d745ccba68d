import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { casesFor, type VectorCase } from '../vectors/cases.ts';
import { FILTER_ONLY, ToolBox, variablesOf } from './support.ts';

interface Deny {
  readonly patterns: readonly string[];
  readonly except?: readonly string[];
}

function configure(box: ToolBox, { policy }: VectorCase): void {
  const config = (...args: string[]) => box.did('tool', 'config', 'env', 'env', ...args);
  config('base', policy.base);
  if (policy.allow !== undefined) config('allow', ...policy.allow);
  for (const { patterns, except } of (policy.deny ?? []) as Deny[])
    config('deny', ...patterns, ...(except === undefined ? [] : ['--except', ...except]));
}

/** The same policy, written by hand. */
function handWritten({ policy }: VectorCase): string {
  const denied = ((policy.deny ?? []) as Deny[]).flatMap(({ patterns, except }) =>
    patterns.map(
      (pattern) =>
        `${JSON.stringify(pattern)} = ${except === undefined ? '{}' : `{ except = ${JSON.stringify(except)} }`}`,
    ),
  );
  return [
    '[tools.env]',
    `env_base = "${policy.base}"`,
    `env_allow = ${JSON.stringify(policy.allow ?? [])}`,
    '[tools.env.env_deny]',
    ...denied,
    '',
  ].join('\n');
}

describe.each(USERS)('as %s', (user) => {
  test.each(casesFor('tool').map((one) => [one.id, one] as const))('%s', (_, one) => {
    const box = new ToolBox(user);
    configure(box, one);
    for (const control of [{}, FILTER_ONLY]) {
      const { code, stdout, stderr } = box.start('env', ['-0'], { ...one.host, ...control });
      expect({ code, stderr, env: variablesOf(stdout) }).toEqual({ code: 0, stderr: '', env: one.expect.env });
    }
  });
});

test.each(casesFor('tool').map((one) => [one.id, one] as const))('%s, written by hand and applied', (_, one) => {
  const box = new ToolBox();
  box.folder(box.cordonHome);
  box.write(box.config, handWritten(one));
  box.did('tool', 'apply');
  expect(variablesOf(box.start('env', ['-0'], one.host).stdout)).toEqual(one.expect.env);
});
