import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFiles } from '../../src/check/check.ts';
import { discover } from '../../src/check/discover.ts';
import { fixFindings } from '../../src/check/fix.ts';
import { pathsOf } from '../../src/check/git-index.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';

const SECRET = `DB_PASSWORD=${'hunter2pass'}\n`;
const NOTE = '# cordon-check: allow literal-credential it is gone';

type Files = Readonly<Record<string, string | Buffer>>;

function scene(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-check-fix-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, stdio: 'pipe', encoding: 'utf8' });
}

const textOf = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

/** `cordon check --fix` in that folder, with these files or with what it finds: what was mended, and what is left. */
async function mend(folder: string, given: readonly string[] = discover({ config: undefined, workdir: folder })) {
  const files = given.map((file) => `${folder}/${file}`);
  const places = { config: join(folder, 'none'), home: folder, workdir: folder };
  const look = () => checkFiles({ files, env: ParentEnv.fromRecord({}), places });
  const fixed = await fixFindings(await look(), folder);
  return { fixed: fixed.map(({ rule }) => rule), left: (await look()).findings.map(({ rule }) => rule) };
}

/** Version 2, with these names whatever git would say of them. */
function indexOf(names: readonly string[]): Buffer {
  const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(names.length, 8);
  const entries = names.map((name) => {
    const entry = Buffer.alloc((Math.floor((62 + name.length) / 8) + 1) * 8);
    entry.writeUInt16BE(name.length, 60);
    entry.write(name, 62);
    return entry;
  });
  return Buffer.concat([head, ...entries]);
}

describe('a comment that silences nothing', () => {
  it('of a file that is named twice is taken out once', async () => {
    const folder = scene({ '.env': `${NOTE}\nB=2\nC=3\n`, 'sub/a': '' });
    symlinkSync('.', join(folder, 'here'));
    const { fixed } = await mend(folder, ['.env', './.env', 'sub/../.env', 'here/.env']);
    expect(fixed).toEqual(['silenced-nothing']);
    expect(textOf(folder, '.env')).toBe('B=2\nC=3\n');
  });

  it.each([
    ['a lone CR', `A=1\rB=2\n${NOTE}\nC=3\n`, 'A=1\rB=2\nC=3\n'],
    ['CR alone', `A=1\r${NOTE}\rB=2\r`, 'A=1\rB=2\r'],
    ['CR and LF', `A=1\r\n${NOTE}\r\nB=2\r\n`, 'A=1\r\nB=2\r\n'],
    ['a byte order mark', `\uFEFF${NOTE}\nB=2\n`, '\uFEFFB=2\n'],
    ['an end without one', `A=1\n  ${NOTE}`, 'A=1\n'],
  ])('is found again in a file with %s', async (_, text, expected) => {
    const folder = scene({ '.env': text });
    expect((await mend(folder, ['.env'])).fixed).toEqual(['silenced-nothing']);
    expect(textOf(folder, '.env')).toBe(expected);
  });

  it.each([
    ['a string of JSON', 'package.json', `{"description": "see ${NOTE}", "scripts": {}}\n`],
    ['a value behind which it stands', '.env', `A=1 ${NOTE}\nB=2\n`],
    ['a value over several lines', '.env', `A="1\n${NOTE}\n2"\n`],
    ['a value with a quote in it', '.env', `A="it's \\" so\n${NOTE}\n2"\n`],
    ['a line that goes on', '.env', `A=1\\\n${NOTE}\n`],
    [
      'a script in YAML',
      'action.yml',
      `runs:\n  steps:\n    - run: |\n        echo a\n        ${NOTE}\n        echo b\n`,
    ],
    ['a string of TOML', 'cordon.toml', `[tools.x]\ndescription = """\n${NOTE}\n"""\n`],
    ['a here-document', 'Dockerfile', `FROM x\nCOPY <<END /a\n${NOTE}\nEND\n`],
  ])('stays where it is, or may be, a part of %s', async (_, name, text) => {
    const folder = scene({ [name]: text });
    const { fixed, left } = await mend(folder, [name]);
    expect(fixed).toEqual([]);
    expect(left).toContain('silenced-nothing');
    expect(textOf(folder, name)).toBe(text);
  });

  it('stays where the file is another one by now', async () => {
    const folder = scene({ '.env': `A=1\n${NOTE}\nB=2\n` });
    const file = join(folder, '.env');
    const places = { config: folder, home: folder, workdir: folder };
    const report = await checkFiles({ files: [file], env: ParentEnv.fromRecord({}), places });
    writeFileSync(file, 'A=1\nB=2\nC=3\n');
    expect(await fixFindings(report, folder)).toEqual([]);
    expect(textOf(folder, '.env')).toBe('A=1\nB=2\nC=3\n');
  });

  it('a name that is shown like another changes neither', async () => {
    const folder = scene({ 'a\x01.env': `${NOTE}\nA=1\n`, 'a\\x01.env': `${NOTE}\nA=1\n` });
    expect((await mend(folder, ['a\x01.env', 'a\\x01.env'])).fixed).toEqual([]);
    expect((await mend(folder, ['a\x01.env'])).fixed).toEqual(['silenced-nothing']);
    expect(textOf(folder, 'a\\x01.env')).toBe(`${NOTE}\nA=1\n`);
  });

  it('no byte goes but those of comments that are alone on their line', async () => {
    const comment = fc.constantFrom(NOTE, `  ${NOTE}`, `// ${NOTE.slice(2)}`);
    const value = fc.oneof(
      fc.constantFrom('A=1', 'B="x y"', "C='it is'", 'D="open', '"', `E=1 ${NOTE}`, `F="${NOTE}"`, '', '# a word'),
      fc.string({ maxLength: 12 }).map((text) => `G=${text.replace(/[\r\n\0]/g, '')}`),
    );
    const line = fc.record({ text: fc.oneof(comment, value), end: fc.constantFrom('\n', '\r\n', '\r') });
    const name = fc.constantFrom('.env', 'Dockerfile', 'compose.yaml', 'package.json', 'cordon.toml');
    await fc.assert(
      fc.asyncProperty(name, fc.array(line, { maxLength: 12 }), async (file, lines) => {
        const whole = lines.map(({ text, end }) => `${text}${end}`).join('');
        const folder = scene({ [file]: whole });
        await mend(folder, [file, `./${file}`]);
        expect(bytesBesideComments(textOf(folder, file))).toBe(bytesBesideComments(whole));
      }),
      { numRuns: 150 },
    );
  });
});

/** All that is not a line with a comment alone, without the ends of lines. */
const bytesBesideComments = (text: string) =>
  text
    .split(/[\r\n]+/)
    .filter((line) => !/^\s*(?:#|\/\/) cordon-check: allow/.test(line))
    .join('\n')
    .replace(/\n+/g, '\n')
    .replace(/^\n|\n$/g, '');

describe('a repository that leads elsewhere', () => {
  const victim = () => scene({ '.env': `${NOTE}\n${SECRET}`, 'package.json': '{}', '.git/HEAD': 'ref: x\n' });
  const untouched = (folder: string) => {
    expect(textOf(folder, '.env')).toBe(`${NOTE}\n${SECRET}`);
    expect(() => textOf(folder, '.gitignore')).toThrow('ENOENT');
  };

  it('by paths in its index', async () => {
    const other = victim();
    const folder = scene({ '.git/HEAD': 'ref: x\n' });
    const way = relative(folder, other);
    const names = [`${way}/.env`, `sub/../${way}/.env`, `${other}/.env`, `./${way}/.env`, `sub//.env`, './.env'];
    writeFileSync(join(folder, '.git/index'), indexOf(names));
    mkdirSync(join(folder, 'sub'));
    expect(discover({ config: undefined, workdir: folder })).toEqual([]);
    await mend(folder);
    untouched(other);
  });

  it('by a link to a folder', async () => {
    const other = victim();
    const folder = scene({
      '.git/HEAD': 'ref: x\n',
      '.git/index': indexOf(['in/.env', 'sub/.env']),
      'in/.env': 'A=1\n',
    });
    symlinkSync(other, join(folder, 'sub'));
    expect(discover({ config: undefined, workdir: folder })).toEqual(['in/.env']);
    expect((await mend(folder)).fixed).toEqual([]);
    expect((await mend(folder, ['sub/.env'])).fixed).toEqual([]);
    untouched(other);
  });

  it('by a folder of settings', async () => {
    const text = `{\n// ${NOTE.slice(2)}\n"a": 1}\n`;
    const other = scene({ 'settings.json': text });
    const folder = scene({ '.git/HEAD': 'ref: x\n' });
    symlinkSync(other, join(folder, '.claude'));
    expect(await mend(folder)).toEqual({ fixed: [], left: ['silenced-nothing'] });
    expect(textOf(other, 'settings.json')).toBe(text);
  });
});

describe('.gitignore', () => {
  it.each(['[ab]/.env', '*/.env', 'a?b/.env', '#a/.env', '!a/.env', 'a\\b/.env', 'a /.env', 'a/.env.b', 'ä b/.env'])(
    'means %s and nothing else',
    async (name) => {
      const folder = scene({ [name]: SECRET, 'a/.env': SECRET, 'axb/.env': SECRET });
      git(folder, 'init', '-q');
      const { fixed, left } = await mend(folder, [name]);
      expect(fixed).toEqual(['env-file-not-ignored']);
      expect(left).not.toContain('env-file-not-ignored');
      expect(git(folder, '-c', 'core.quotePath=false', 'ls-files', '-zoi', '--exclude-standard')).toBe(`${name}\0`);
    },
  );

  it.each([
    ['a name over two lines', { 'a\nb/.env': SECRET }, 'a\nb/.env'],
    ['a line of a folder below that takes it back', { 'a/.env': SECRET, 'a/.gitignore': '!.env\n' }, 'a/.env'],
  ])('is left alone where it cannot help: %s', async (_, files: Files, name) => {
    const folder = scene({ ...files, '.git/HEAD': 'ref: x\n' });
    expect(await mend(folder, [name])).toEqual({ fixed: [], left: ['env-file-not-ignored'] });
    expect(() => textOf(folder, '.gitignore')).toThrow('ENOENT');
  });

  it('that is no UTF-8 is not written anew', async () => {
    const bytes = Buffer.from('# caf\xe9\n', 'latin1');
    const folder = scene({ '.git/HEAD': 'ref: x\n', '.env': SECRET, '.gitignore': bytes });
    expect((await mend(folder)).fixed).toEqual([]);
    expect(readFileSync(join(folder, '.gitignore'))).toEqual(bytes);
  });
});

describe('what has no end', () => {
  it.each([
    '.gitignore',
    '.git/info/exclude',
    '.git/index',
    '.git/config',
    '.git/commondir',
    'k8s/a.yaml',
    'k8s/b/c.yml',
  ])('%s as a link to a device, a pipe or a file of the kernel is passed over', async (name) => {
    for (const target of ['/dev/zero', '/proc/self/pagemap', 'pipe']) {
      const folder = scene({ '.git/HEAD': 'ref: x\n', '.env': SECRET });
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      symlinkSync(target === 'pipe' ? join(folder, 'pipe') : target, join(folder, name));
      const { left } = await mend(folder);
      expect(left).toEqual(name === '.gitignore' ? ['env-file-not-ignored'] : []);
    }
  });

  describe('an index of version 4, which repeats the name before,', () => {
    const entry = (name: string) => {
      const bytes = Buffer.alloc(63);
      bytes.writeUInt16BE(name.length & 0xfff, 60);
      return Buffer.concat([bytes, Buffer.from(`${name}\0`)]);
    };
    const version4 = (names: readonly string[]) => {
      const head = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1');
      head.writeUInt32BE(names.length, 8);
      return Buffer.concat([head, ...names.map(entry)]);
    };
    const many = Array.from({ length: 8000 }, () => 'b');

    it('ends at a name that no file can have', () => {
      expect(pathsOf(version4(['a/.env', 'a'.repeat(700_000), ...many]), 20)).toEqual(['a/.env']);
    });

    it('ends where its names are longer than any index', () => {
      expect(pathsOf(version4(['a'.repeat(1000), ...many]), 20, 10_000)).toHaveLength(9);
    });
  });
});
