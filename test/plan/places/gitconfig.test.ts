import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitconfigWithoutSecrets } from '../../../src/plan/places/index.ts';

const KEPT = `[user]
\tname = A. User
\temail = a@example.com
[alias]
\tlg = log --graph
[url "git@github.com:"]
\tinsteadOf = https://github.com/
[core]
\tautocrlf = input
`;

describe('git settings without what logs in', () => {
  it('everything else is kept to the letter', () => {
    expect(gitconfigWithoutSecrets(KEPT)).toBe(KEPT);
  });

  it.each([
    ['a header', '[http "https://example.com"]\n\textraHeader = Authorization: Basic CANARY\n'],
    ['a token', '[github]\n\ttoken = CANARY\n'],
    ['a key on its section\u2019s line', '[github] token = CANARY\n'],
    ['a password', '[sendemail]\n\tsmtpPass = CANARY\n'],
    ['an address with a password', '[remote "x"]\n\turl = https://u:CANARY@example.com/x\n'],
    ['an address with a token as its name', '[remote "x"]\n\turl = https://CANARY@example.com/x\n'],
    ['a section about such an address', '[url "https://u:CANARY@example.com/"]\n\tinsteadOf = https://example.com/\n'],
    ['a value that goes on', '[http]\n\textraHeader = Authorization: \\\n  Basic CANARY\n'],
    ['a comment', '# token = CANARY\n'],
  ])('%s is left out, and git reads the rest', (_, secret) => {
    const text = gitconfigWithoutSecrets(`${KEPT}${secret}${KEPT}`);
    expect(text).not.toContain('CANARY');
    const file = join(mkdtempSync(join(tmpdir(), 'gitconfig-')), 'config');
    writeFileSync(file, text);
    const { status, stdout } = spawnSync('git', ['config', '--file', file, '--get-all', 'user.email'], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'a@example.com\na@example.com\n' });
  });
});
