import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import type { CordonError } from '../../src/host/errors.ts';
import { credentialRule } from '../../src/policy/credential.ts';
import { resolveCredentials, unresolvedCredentials } from '../../src/secrets/resolve.ts';
import { newPlace } from './surroundings.ts';

async function failure(work: Promise<unknown>): Promise<CordonError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason as CordonError,
  );
  expect(error).toMatchObject({ name: 'CordonError', exitCode: 125 });
  return error as CordonError;
}

describe('env', () => {
  test('gives the value of another variable', async () => {
    expect(await newPlace({ MINE: 'value-of-mine' }).resolve('env://MINE')).toBe('value-of-mine');
  });

  test('says which variable is not set', async () => {
    const error = await failure(newPlace().resolve('env://MINE'));
    expect(error.message).toBe('no credential for TARGET from env://MINE: the variable MINE is not set');
    expect(error.hint).toContain('export MINE');
  });

  test('an empty value counts as unavailable', async () => {
    expect((await failure(newPlace({ MINE: '' }).resolve('env://MINE'))).message).toMatch(/its value is empty$/);
  });

  test('the rule names the variable it comes from', () => {
    const rule = credentialRule({ target: bytesOfText('B'), source: 'env://A', origin: 'test' });
    expect(rule.sourceVariable).toBe('A');
  });
});

describe('file', () => {
  test('loses one newline at its end, and only one', async () => {
    const place = newPlace();
    expect(await place.resolve(`file://${place.file('a', 'value\n')}`)).toBe('value');
    expect(await place.resolve(`file://${place.file('b', 'two\nlines\n\n')}`)).toBe('two\nlines\n');
  });

  test.each([0o640, 0o604, 0o620, 0o666])('mode %o is refused, with what to do', async (mode) => {
    const place = newPlace();
    const path = place.file('open', 'value');
    (await import('node:fs')).chmodSync(path, mode);
    const error = await failure(place.resolve(`file://${path}`));
    expect(error.message).toMatch(/others may read or write it$/);
    expect(error.hint).toBe(`chmod 600 ${path}`);
  });

  test('a link, a folder, a device, a pipe and nothing at all', async () => {
    const place = newPlace();
    const link = join(place.home, 'link');
    symlinkSync(place.file('real', 'value'), link);
    expect((await failure(place.resolve(`file://${link}`))).message).toMatch(/symbolic link/);
    expect((await failure(place.resolve(`file://${place.home}`))).message).toMatch(/not a regular file/);
    expect((await failure(place.resolve('file:///dev/zero'))).message).toMatch(/not a regular file/);
    expect((await failure(place.resolve(`file://${place.home}/none`))).message).toMatch(/does not exist/);
    (await import('node:child_process')).execFileSync('mkfifo', [join(place.home, 'pipe')]);
    expect((await failure(place.resolve(`file://${place.home}/pipe`))).message).toMatch(/not a regular file/);
  });

  test('a NUL inside, and more than the kernel passes', async () => {
    const place = newPlace();
    expect((await failure(place.resolve(`file://${place.file('nul', 'a\0b')}`))).message).toMatch(/NUL byte/);
    expect((await failure(place.resolve(`file://${place.file('big', 'x'.repeat(1_000_000))}`))).message).toMatch(
      /131072 bytes/,
    );
    const most = 131_072 - 'TARGET='.length - 1;
    expect((await place.resolve(`file://${place.file('most', 'x'.repeat(most))}`)).length).toBe(most);
    expect((await failure(place.resolve(`file://${place.file('over', 'x'.repeat(most + 1))}`))).message).toMatch(
      /131072/,
    );
  });
});

describe('command', () => {
  test('gets a filtered environment, no terminal and no input', async () => {
    const place = newPlace({ STOLEN_TOKEN: 'stolen', BASH_ENV: '/x', LANG: 'C.UTF-8' });
    const shown = await place.resolve(['sh', '-c', 'env; cat; (: </dev/tty) 2>/dev/null && echo TERMINAL; true']);
    expect(shown).toContain(`HOME=${place.home}`);
    expect(shown).toContain('LANG=C.UTF-8');
    expect(shown).not.toMatch(/STOLEN|BASH_ENV|NODE_V8_COVERAGE|TERMINAL/);
  });

  test('no shell looks at its words', async () => {
    expect(await newPlace().resolve(['printf', '%s', '$(id); `id` > x'])).toBe('$(id); `id` > x');
  });

  const bad: [string, readonly string[], RegExp][] = [
    ['exits 3', ['sh', '-c', 'echo half-a-secret; echo traced-secret >&2; exit 3'], /'sh' ended with exit code 3$/],
    ['prints nothing', ['true'], /'true' printed nothing$/],
    ['prints a newline only', ['echo'], /printed nothing$/],
    ['prints binary', ['printf', 'a\\0b'], /printed binary data$/],
    ['prints without end', ['yes'], /printed more than a credential can have$/],
    ['is not there', ['no-such-program'], /'no-such-program' is not installed/],
    ['is no program', ['/usr/lib/os-release'], /cannot be run$/],
  ];
  test.each(bad)('one that %s', async (_, words, message) => {
    const error = await failure(newPlace().resolve(words));
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^no credential for TARGET from command /);
    expect(JSON.stringify(error) + error.hint + error.stack).not.toMatch(/half-a-secret|traced-secret/);
  });

  test('one that hangs is ended with all it started', async () => {
    const place = newPlace();
    const words = ['sh', '-c', 'echo $$ >"$HOME/pid"; sleep 1000 & echo $! >"$HOME/child"; wait'];
    const error = await failure(place.resolve(words, 700));
    expect(error.message).toMatch(/'sh' gave no answer in time$/);
    for (const name of ['pid', 'child']) {
      const pid = Number(readFileSync(join(place.home, name), 'utf8'));
      await expect.poll(() => isRunning(pid)).toBe(false);
    }
  });

  test('cannot be given as a reference', () => {
    const rule = credentialRule({
      target: bytesOfText('A'),
      source: 'cmd://cat /etc/passwd',
      origin: 'flag --credential',
    });
    expect(() => unresolvedCredentials([rule])).toThrow(/array of words in a profile/);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('1Password', () => {
  const session = { OP_SESSION_my: 'session-of-op', OP_ACCOUNT: 'my', BW_SESSION: 'unlocked', OTHER_SECRET: 'x' };

  test('reads a reference, and gets its own session and no other', async () => {
    const place = newPlace(session);
    place.file('op.value', 'value from 1password');
    expect(await place.resolve('op://Work/openai/key')).toBe('value from 1password');
    const seen = readFileSync(join(place.home, 'op.env'), 'utf8');
    expect(seen).toMatch(/^OP_SESSION_my=session-of-op$/m);
    expect(seen).not.toMatch(/BW_SESSION|OTHER_SECRET/);
  });

  const answers: [string, Record<string, string>, string, RegExp, RegExp][] = [
    ['not signed in', {}, 'op://Work/openai/key', /op is not signed in$/, /op signin/],
    ['no such vault', session, 'op://Home/openai/key', /no such vault, item or field$/, /op item list/],
    ['no such item', session, 'op://Work/none/key', /no such vault, item or field$/, /op item list/],
    ['no such field', session, 'op://Work/openai/none', /no such vault, item or field$/, /op item list/],
    [
      'not installed',
      { PATH: '/usr/bin:/bin' },
      'op://Work/openai/key',
      /op is not installed/,
      /install the 1Password CLI/,
    ],
    ['more than one', session, 'op://Work/twice/key', /more than one/i, /ids/],
  ];
  test.each(answers)('%s', async (_, env, source, message, hint) => {
    const error = await failure(newPlace(env).resolve(source));
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

describe('Bitwarden', () => {
  const session = { BW_SESSION: 'unlocked', OP_SESSION_my: 'session-of-op', BW_PASSWORD: 'master' };

  test('a known field, a custom field, the password when none is named', async () => {
    const place = newPlace(session);
    place.file('bw.logged-in', '');
    place.file('bw.value', 'value-from-bitwarden');
    expect(await place.resolve('bw://github/password')).toBe('value-from-bitwarden');
    expect(await place.resolve('bw://github')).toBe('value-from-bitwarden');
    expect(await place.resolve('bw://github/username')).toBe('octocat');
    expect(await place.resolve('bw://github/api key')).toBe('value-from-bitwarden');
    const seen = readFileSync(join(place.home, 'bw.env'), 'utf8');
    expect(seen).toMatch(/^BW_SESSION=unlocked$/m);
    expect(seen).not.toMatch(/OP_SESSION|BW_PASSWORD/);
  });

  const answers: [string, Record<string, string>, boolean, string, RegExp, RegExp][] = [
    ['not logged in', session, false, 'bw://github', /bw is not logged in$/, /bw login/],
    ['locked', {}, true, 'bw://github', /Bitwarden vault is locked$/, /bw unlock/],
    ['not found', session, true, 'bw://none', /no such item or field$/, /bw list items/],
    ['nothing in that field', session, true, 'bw://github/totp', /no such item or field$/, /bw list items/],
    ['no such custom field', session, true, 'bw://github/none', /the item has no such field$/, /custom field/],
    ['more than one', session, true, 'bw://twice', /more than one such item$/, /id of the item/],
    [
      'not installed',
      { PATH: '/usr/bin:/bin' },
      true,
      'bw://github',
      /bw is not installed/,
      /install the Bitwarden CLI/,
    ],
  ];
  test.each(answers)('%s', async (_, env, loggedIn, source, message, hint) => {
    const place = newPlace(env);
    if (loggedIn) for (const name of ['bw.logged-in', 'bw.value']) place.file(name, 'value');
    const error = await failure(place.resolve(source));
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

describe('keyring', () => {
  test('an entry, and none', async () => {
    const place = newPlace({}, 'working');
    place.file('keyring/service.account', 'value-in-the-keyring');
    expect(await place.resolve('keyring://service/account')).toBe('value-in-the-keyring');
    expect((await failure(place.resolve('keyring://service/other'))).message).toMatch(/no such entry$/);
  });

  const modes = [
    ['locked', /may be locked$/, /unlock it/],
    ['refusing', /is locked, or none is running$/, /unlock it/],
    ['none', /no keyring support/, /another source/],
  ] as const;
  test.each(modes)('%s', async (mode, message, hint) => {
    const error = await failure(newPlace({}, mode).resolve('keyring://service/account', 1000));
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

describe('all together', () => {
  const rule = (target: string, source: string | readonly string[]) =>
    credentialRule({ target: bytesOfText(target), source, origin: 'test' });

  test('at the same time, within one time limit', async () => {
    const { tools } = newPlace();
    const rules = ['A', 'B', 'C', 'D'].map((name) => rule(name, ['sh', '-c', `sleep 0.4; echo ${name}`]));
    const started = Date.now();
    const values = await resolveCredentials(rules, tools);
    expect([...values.values()].map((secret) => secret.reveal())).toEqual(['A', 'B', 'C', 'D']);
    expect(Date.now() - started).toBeLessThan(1500);
  });

  test('every one that fails is named', async () => {
    const { tools } = newPlace();
    const error = await failure(
      resolveCredentials([rule('A', 'env://NOT_A'), rule('B', 'env://NOT_B'), rule('C', ['echo', 'c'])], tools),
    );
    expect(error.message).toContain('no credential for A from env://NOT_A');
    expect(error.message).toContain('no credential for B from env://NOT_B');
    expect(error.hint?.split('\n')).toHaveLength(2);
  });

  test('the last of a target counts', async () => {
    const { tools } = newPlace({ X: 'x-value' });
    const values = await resolveCredentials([rule('A', 'env://NONE'), rule('A', 'env://X')], tools);
    expect([...values].map(([name, secret]) => [name, secret.reveal()])).toEqual([['A', 'x-value']]);
  });

  test('a rehearsal resolves nothing', () => {
    const values = unresolvedCredentials([rule('A', 'env://NONE'), rule('B', ['false'])]);
    expect([...values.keys()]).toEqual(['A', 'B']);
  });
});

describe('what is no source', () => {
  const bad = [
    'http://x',
    'vault://',
    'vault://a/b',
    'vault://../x',
    'env://A-B',
    'env://',
    'file://relative',
    'file:///a/../b',
    'op://a/b',
    'op://a//c',
    'bw://',
    'bw://--help/x',
    'keyring://a',
    'keyring:///b',
    'KEYRING://a/b',
  ];
  test.each(bad)('%s', (source) => {
    const rules = [credentialRule({ target: bytesOfText('A'), source, origin: 'flag --credential' })];
    expect(() => unresolvedCredentials(rules)).toThrow(/is not a source of credentials/);
  });

  const targets = [
    'LD_PRELOAD',
    'ld_preload',
    'PATH',
    'Path',
    'home',
    'SHELL',
    'NODE_OPTIONS',
    'BW_SESSION',
    'CORDON_HOME',
    'cordon_log',
    'A-B',
    '1A',
    '',
    'A=B',
    'Ä',
  ];
  test.each(targets)('target %j is refused', (target) => {
    expect(() => credentialRule({ target: bytesOfText(target), source: 'x', origin: 'flag --credential' })).toThrow(
      /cannot be injected/,
    );
  });
});
