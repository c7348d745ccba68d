import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { policyText } from '../../src/cli/prove/policy-file.ts';
import { bytesOfText } from '../../src/host/bytes.ts';
import { parseHost } from '../../src/policy/network/rules.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { freshHome, runCordon } from '../support/cordon.ts';

/** What `cordon prove` starts in a scene is no way around what holds for any other policy. */
describe('a policy handed to prove stage', () => {
  function stage(name: string, mode: number, change: Partial<Policy> = {}) {
    const home = freshHome('root');
    const file = join(home, 'policy');
    const set = [{ name: bytesOfText(name), value: bytesOfText('set-by-the-file'), origin: 'test' }];
    writeFileSync(file, policyText({ ...DEFAULT_POLICY, set, ...change }));
    chmodSync(file, mode);
    return runCordon(['prove', 'stage', file, '--', 'env'], { home });
  }

  test('is carried out when it is the user’s own', () => {
    expect(stage('MODE', 0o600)).toMatchObject({ code: 0, stdout: expect.stringContaining('MODE=set-by-the-file') });
  });

  test('keeps the addresses of its list of hosts', () => {
    const parsed = parseHost('10.0.0.0/8', 'test');
    const allow = 'rules' in parsed ? parsed.rules : [];
    expect(stage('MODE', 0o600, { network: { mode: 'names', allow, deny: [] } })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('MODE=set-by-the-file'),
    });
  });

  test('is refused when others may have written it', () => {
    expect(stage('MODE', 0o666)).toMatchObject({ code: 125, stdout: '' });
  });

  test('cannot set what no command may have', () => {
    expect(stage('LD_PRELOAD', 0o600)).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringContaining('code-injection list'),
    });
  });
});
