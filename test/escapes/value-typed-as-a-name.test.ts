import { expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

const TYPED = [
  'sk-ant-api03-0123456789abcdefABCDEF',
  'ghp_0123456789abcdefABCDEF0123456789abcd',
  'aX9kQ2mZ7pL4vR8tW1yBc3',
];

// `--credential KEY=VALUE` where a name was meant: the value is already in the user's history, but must not go into logs as well.
it.each(USERS)('a value typed where a name belongs does not come back in the error for %s', (user) => {
  for (const value of TYPED) {
    const { code, stdout, stderr } = runCordon(['run', '--credential', `KEY=${value}`, '--', 'true'], { user });
    expect(code).toBe(125);
    expect(stdout + stderr).toContain('no credential for KEY');
    expect(stdout + stderr).not.toContain(value);
  }
  // Without the protection the name would be shown, as it is for one that is no secret.
  expect(runCordon(['run', '--credential', 'KEY=openai', '--', 'true'], { user }).stderr).toContain('openai');
});
