import { describe, expect, it } from 'vitest';
import { freshHome, type RunOptions, runCordon } from '../support/cordon.ts';
import { USERS } from '../support/users.ts';

const off = (command: readonly string[], options: RunOptions) =>
  runCordon(['run', '-q', '--net', 'off', '--', ...command], options);

describe.each(USERS)('names with the network off, as %s', (user) => {
  it('are not known, which is not a passing trouble', () => {
    const home = freshHome(user);
    expect(off(['node', '-e', LOOK_UP], { user, home }).stdout).toBe('ENOTFOUND ECONNREFUSED\n');
  });

  it('are asked for once by npm, and this machine is still known', () => {
    const home = freshHome(user);
    const env = { npm_config_registry: 'https://registry.invalid/' };
    const { code, stderr } = off(['npm', 'view', 'left-pad'], { user, home, env });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOTFOUND') });
    expect(off(['getent', 'hosts', 'localhost'], { user, home }).stdout).toMatch(/localhost/);
    expect(off(['getent', 'passwd', String(user)], { user, home }).stdout).toContain(user);
  });

  it('what a policy says of npm counts', () => {
    const home = freshHome(user);
    const seen = (...flags: string[]) =>
      runCordon(['run', '-q', ...flags, '--', 'printenv', 'npm_config_fetch_retries'], { user, home }).stdout;
    expect(seen('--net', 'off')).toBe('0\n');
    expect(seen('--net', 'off', '--set', 'npm_config_fetch_retries=1')).toBe('1\n');
    expect(seen('--net', 'off', '--deny', 'npm_*')).toBe('');
    expect(seen()).toBe('');
  });
});

const LOOK_UP = `
  const dns = require('dns');
  dns.lookup('example.com', ({ code: first }) => dns.resolve('example.com', ({ code }) => console.log(first, code)));`;
