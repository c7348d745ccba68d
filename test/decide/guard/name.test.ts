import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardName, inspect } from '../../../src/decide/guard/index.ts';
import { DENIED_WORDS, NO_CREDENTIAL_NAMES } from '../../../src/decide/guard/words.ts';
import { bytesOfText } from '../../../src/host/bytes.ts';

const rule = (name: string) => guardName(bytesOfText(name))?.rule;

describe('guardName', () => {
  it('knows exactly the four words of C2', () => {
    expect(DENIED_WORDS).toEqual(['KEY', 'TOKEN', 'SECRET', 'PASSWORD']);
    expect(Object.isFrozen(DENIED_WORDS)).toBe(true);
  });

  it('sees a denied word in any name and any case', () => {
    const anyCase = fc
      .constantFrom(...DENIED_WORDS)
      .chain((word) =>
        fc
          .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
          .map((flips) => [...word].map((c, i) => (flips[i] ? c.toLowerCase() : c)).join('')),
      );
    fc.assert(
      fc.property(
        fc.string(),
        anyCase,
        fc.string(),
        (before, word, after) => rule(before + word + after) === 'name-word',
      ),
    );
  });

  it.each(['KEYBOARD_LAYOUT', 'GITHUB_TOKEN', 'npm_config_MyKey', 'MONKEY', 'secretly'])(
    'denies %s by a word',
    (name) => {
      expect(rule(name)).toBe('name-word');
    },
  );

  it.each([
    'DB_PASS',
    'DBPASS',
    'SMTP_PASS_2',
    'MYSQL_PWD',
    'HTPASSWD',
    'GH_PAT',
    'BASIC_AUTH',
    'AWS_CREDENTIALS',
    'APP_CREDS',
    'CI_JOB_JWT',
    'GPG_PASSPHRASE',
    'my-auth',
  ])('denies %s by the wider list', (name) => {
    expect(rule(name)).toBe('name-wider-word');
  });

  it.each([
    ...NO_CREDENTIAL_NAMES,
    'PATH',
    'GIT_AUTHOR_NAME',
    'PASS_THROUGH',
    'BYPASS',
    'SSH_ASKPASS',
    'PATTERN',
    'GOPRIVATE',
    'XAUTHORITY',
    'COMPASS_DIR',
    'OAUTH_URL',
    'CREDIT',
  ])('lets %s through', (name) => {
    expect(rule(name)).toBeUndefined();
  });
});

describe('inspect', () => {
  it('asks the name first, then the value', () => {
    expect(inspect(bytesOfText('A_TOKEN'), bytesOfText('http://u:p@h'))?.rule).toBe('name-word');
    expect(inspect(bytesOfText('A_URL'), bytesOfText('http://u:p@h'))?.rule).toBe('url-userinfo');
    expect(inspect(bytesOfText('A_URL'), bytesOfText('http://h'))).toBeUndefined();
  });

  it('answers for any name and value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        inspect(bytesOfText(name), bytesOfText(value));
      }),
    );
  });
});
