import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Home } from './support.ts';

const allow = (entry: string) => ({ environment: { allow_vars: ['PATH', entry] } });

describe('allow_vars takes names, PREFIX* and *', () => {
  test.each(['A*B', '*X', 'A**', '**', '', 'A B', ' ', 'A=B', 'A?', 'A[B]', 'A\nB', 'A\0', 'A*=', '*A*'])(
    'not %j',
    async (entry) => {
      const error = await new Home().refusal(allow(entry));
      expect(error.where).toBe('profile object: environment.allow_vars[1]');
      expect(error.hint).toContain('PREFIX*');
    },
  );
  test.each(['A', 'a.b', 'A-B', '1A', 'A_*', '*', 'Ä*'])('but %j', async (entry) => {
    await expect(new Home().load(allow(entry))).resolves.toBeDefined();
  });
});

describe('every key and type is checked, with the spot and what was expected', () => {
  test.each<[string, object, string, string]>([
    ['an unknown key', { environment: { alow_vars: [] } }, 'environment.alow_vars', 'did you mean allow_vars?'],
    ['an unknown key at the top', { enviroment: {} }, 'enviroment', 'did you mean environment?'],
    ['an unknown key that resembles none', { zzz: 1 }, 'zzz', 'known here: '],
    ['an unknown key in meta', { meta: { nmae: 'x' } }, 'meta.nmae', 'did you mean name?'],
    ['a list that is text', { environment: { allow_vars: 'PATH' } }, 'environment.allow_vars', 'expected a list'],
    ['a list that is nothing', { environment: { allow_vars: null } }, 'environment.allow_vars', 'not nothing'],
    ['a section that is nothing', { environment: null }, 'environment', 'not nothing'],
    ['a section that is a list', { environment: [] }, 'environment', 'not a list'],
    ['a number as a name', { environment: { allow_vars: [1] } }, 'environment.allow_vars[0]', 'put it in quotes'],
    [
      'a number as a value',
      { environment: { set_vars: { PORT: 8080 } } },
      'environment.set_vars.PORT',
      'put it in quotes',
    ],
    ['true as a value', { environment: { set_vars: { DEBUG: true } } }, 'environment.set_vars.DEBUG', 'not true'],
    ['a base that is none', { environment: { base: 'os-comon' } }, 'environment.base', 'did you mean os-common?'],
    ['a guard that is none', { environment: { guard: 'on' } }, 'environment.guard', 'one of off, strip, forbid'],
    ['an isolation that is none', { isolation: 'bariers' }, 'isolation', 'did you mean barrier?'],
    ['text for true', { network: { block: 'false' } }, 'network.block', 'true or false'],
    ['text for redact', { redact: 'yes' }, 'redact', 'true or false'],
    ['a preset that is none', { filesystem: { preset: 'minimum' } }, 'filesystem.preset', 'did you mean minimal?'],
    ['a relative path', { filesystem: { allow: ['src'] } }, 'filesystem.allow[0]', 'write it from /'],
    ['a path of another home', { filesystem: { read: ['~root/x'] } }, 'filesystem.read[0]', 'not an absolute path'],
    ['an empty path', { filesystem: { hide: [''] } }, 'filesystem.hide[0]', 'a path is empty'],
    [
      'a deny pattern without its end',
      { environment: { deny_vars: ['A['] } },
      'environment.deny_vars[0]',
      'without its ]',
    ],
    [
      'a bad exception',
      { environment: { deny_vars: [{ pattern: 'A', except: ['='] }] } },
      'environment.deny_vars[0].except[0]',
      'no variable name',
    ],
    [
      'a deny without a pattern',
      { environment: { deny_vars: [{ except: ['A'] }] } },
      'environment.deny_vars[0]',
      "'pattern' is missing",
    ],
    ['an empty base', { extends: '' }, 'extends', 'not the name of a profile'],
    ['a number as a base', { extends: [1] }, 'extends[0]', 'expected text'],
    [
      'what never may be set',
      { environment: { set_vars: { LD_PRELOAD: 'x' } } },
      'environment.set_vars.LD_PRELOAD',
      'code-injection',
    ],
    [
      'a variable of our own',
      { environment: { set_vars: { CORDON_HOME: 'x' } } },
      'environment.set_vars.CORDON_HOME',
      "Cordon's own",
    ],
    [
      'a set name with =',
      { environment: { set_vars: { 'A=B': 'x' } } },
      'environment.set_vars.A=B',
      'not the name of a variable',
    ],
    ['a set value with NUL', { environment: { set_vars: { A: 'x\0' } } }, 'environment.set_vars.A', 'NUL'],
  ])('%s', async (_, profile, path, words) => {
    const error = await new Home().refusal(profile as never);
    expect(error.where).toBe(`profile object: ${path}`);
    expect(`${error.message}\n${error.hint}`).toContain(words);
  });
});

describe('credentials', () => {
  test.each([
    'LD_PRELOAD',
    'ld_preload',
    'Path',
    'HOME',
    'shell',
    'NODE_OPTIONS',
    'CORDON_HOME',
    'cordon_log',
    'A B',
    '',
    '1A',
    'A=B',
    'A\0',
  ])('no target %j', async (target) => {
    const error = await new Home().refusal({ env_credentials: { 'env://SRC': target } });
    expect(error.where).toContain('env_credentials');
  });

  test.each<[string, unknown, string]>([
    ['an unknown source', { 'vualt://x': 'A' }, 'did you mean vault?'],
    ['a command as text', { 'cmd://pass': 'A' }, 'command: [...]'],
    ['a secret instead of a name', { sk0proj0abcdefghijklmnop1234567890: 'A' }, 'cordon creds set'],
    ['an empty name', { '': 'A' }, 'not the name of a credential'],
    ['two for one target', { a: 'X', b: 'X' }, 'two credentials'],
    ['neither source nor command', [{ target: 'A' }], 'either a source or a command'],
    ['both', [{ target: 'A', source: 'a', command: ['x'] }], 'either a source or a command'],
    ['no target', [{ source: 'a' }], "'target' is missing"],
    ["a command outside of Cordon's home", [{ target: 'A', command: ['x'] }], "Cordon's own home"],
    ['a target that is a number', { a: 1 }, 'expected the name of the variable'],
  ])('%s', async (_, credentials, words) => {
    const error = await new Home().refusal({ env_credentials: credentials } as never);
    expect(`${error.message}\n${error.hint}`).toContain(words);
    expect(`${error.message}\n${error.hint}`).not.toContain('abcdefghijklmnop');
  });

  test('a secret in the place of the target is not shown', async () => {
    const home = new Home({ 'c.json': '{"env_credentials": {"OPENAI_API_KEY": "sk-short"}}' });
    const error = await home.refusal('c');
    expect(error.hint).toContain('cordon creds set');
    expect([error.message, ...error.frame].join()).not.toContain('sk-short');
  });

  test('an empty command', async () => {
    const home = new Home({ 'c.json': { env_credentials: [{ target: 'A', command: [] }] } });
    expect((await home.refusal('c')).message).toContain('empty');
  });

  test('a command in a file elsewhere, also when a link in the home leads to it', async () => {
    const home = new Home();
    const path = home.write('elsewhere/c.json', { env_credentials: [{ target: 'A', command: ['x'] }] });
    expect((await home.refusal(path)).message).toContain("Cordon's own home");
    mkdirSync(join(home.config, 'profiles'));
    symlinkSync(path, join(home.config, 'profiles', 'linked.json'));
    expect((await home.refusal('linked')).message).toContain("Cordon's own home");
  });
});

test('fifty thousand mistakes are still a message', async () => {
  const set_vars = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`LD_${i}`, 'x']));
  const error = await new Home({ 'many.json': JSON.stringify({ environment: { set_vars } }) }).refusal('many');
  expect(error.related).toHaveLength(19);
});

describe('the spot in a file', () => {
  const TOML = '[environment]\nalow_vars = ["PATH"]\nguard = "on"\n\n[network]\nblock = "yes"\n';

  test('all errors at once, in order, each with its line', async () => {
    const home = new Home({ 'bad.toml': TOML });
    const error = await home.refusal('bad');
    const path = `${home.config}/profiles/bad.toml`;
    expect([error, ...error.related].map(({ where }) => where)).toEqual([`${path}:2:1`, `${path}:3:9`, `${path}:6:9`]);
    expect(error.frame).toEqual(['2 | alow_vars = ["PATH"]', '  | ^^^^^^^^^']);
  });

  test('duplicate keys', async () => {
    const home = new Home({
      'dup.json': '{"environment": {"allow_vars": []},\n "environment": {"allow_vars": ["*"]}}',
    });
    const error = await home.refusal('dup');
    expect(error.where).toContain('dup.json:2:2');
    expect(error.message).toContain('written twice');
  });

  test('values of set_vars are not shown, whatever else is wrong on their line', async () => {
    const home = new Home({
      'set.json': '{"environment": {"set_vars": {"A": "hunter2", "LD_PRELOAD": "hunter3"}, "x": 1}}',
    });
    const error = await home.refusal('set');
    const shown = [error, ...error.related].flatMap((one) => [one.message, one.hint, ...one.frame]).join('\n');
    expect(shown).toContain('LD_PRELOAD');
    expect(shown).not.toContain('hunter');
  });

  test.each(['text', '[]', '"x"', '1', 'null'])('a file that is no object: %s', async (text) => {
    expect((await new Home({ 'x.yaml': text }).refusal('x')).message).toContain('expected an object');
  });
});
