import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSkills } from '../../src/sessions/skills/find.ts';
import { freshHome } from '../support/cordon.ts';
import { SELF, USERS } from '../support/users.ts';
import { inMain, put, scene } from './support.ts';

const ME = SELF;

/** A folder of skills with these files. */
function skills(files: Readonly<Record<string, string | Buffer>>): string {
  const root = freshHome(ME);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, path), text, { mode: 0o644 });
  }
  return root;
}

const described = async (text: string) => (await findSkills([skills({ 'a/SKILL.md': text })]))[0]?.description;

describe('what SKILL.md says', () => {
  it.each([
    ['front matter', '---\nname: x\ndescription: Does a thing\n---\n# Title\n', 'Does a thing'],
    [
      'front matter over several lines',
      '---\ndescription: >\n  Does a thing\n  and more\n---\n',
      'Does a thing and more',
    ],
    ['front matter with other keys and CRLF', '---\r\nallowed: [a]\r\ndescription: "It: does"\r\n---\r\n', 'It: does'],
    [
      'the plain form',
      '# SKILL.md\nname: gemini-test\ndescription: Test it\n\n## Instructions\ndescription: no\n',
      'Test it',
    ],
    ['a heading', 'Before\n\n# Sum up\ntext', 'Sum up'],
    ['front matter without a description', '---\nname: x\n---\n# Sum up\n', 'Sum up'],
    ['nothing of it', 'Just text.\nMore.', 'Just text.'],
    ['control characters', '# \u001b[31mred\u202e\n', '\\x1b[31mred\\u{202e}'],
  ])('%s', async (_, text, description) => {
    expect(await described(text)).toBe(description);
  });
});

describe('which skills there are', () => {
  it('scripts and instructions, by the name of the folder', async () => {
    const folder = skills({
      'my-skill/SKILL.md': '# Mine\n',
      'my-skill/scripts/only.py': '',
      'several/SKILL.md': '# Several\n',
      'several/scripts/run.sh': '',
      'several/scripts/help.py': '',
      'words/SKILL.md': '---\ndescription: W\n---\nDo this.\n',
      'words/scripts/data.txt': '',
      'no-skill/README.md': 'x',
      '.hidden/SKILL.md': '# no\n',
    });
    expect(await findSkills([folder])).toMatchObject([
      { name: 'my-skill', toolName: 'skill_my_skill', kind: 'script', script: 'scripts/only.py' },
      { name: 'several', kind: 'script', script: 'scripts/run.sh' },
      { name: 'words', kind: 'instructions', body: 'Do this.' },
    ]);
    expect(await findSkills([join(folder, 'words')])).toHaveLength(1);
  });

  const BAD: readonly (readonly [string, () => string[], RegExp])[] = [
    ['two of one tool', () => [skills({ 'a-b/SKILL.md': '# x', 'a_b/SKILL.md': '# x' })], /skill_a_b.*a-b.*a_b/],
    ['two of one name', () => [skills({ 'a/SKILL.md': '# x' }), skills({ 'a/SKILL.md': '# y' })], /skill_a/],
    ['an empty SKILL.md', () => [skills({ 'a/SKILL.md': ' \n' })], /empty/],
    ['a binary SKILL.md', () => [skills({ 'a/SKILL.md': Buffer.from([0xff, 0xfe, 0]) })], /no text/],
    ['a SKILL.md with a NUL', () => [skills({ 'a/SKILL.md': '# a\0' })], /no text/],
    ['broken front matter', () => [skills({ 'a/SKILL.md': '---\na: [\n---\n' })], /YAML/],
    ['a name no tool can have', () => [skills({ 'a b/SKILL.md': '# x' })], /name/],
    [
      'scripts without an entry',
      () => [skills({ 'a/SKILL.md': '# x', 'a/scripts/a.py': '', 'a/scripts/b.py': '' })],
      /none is called run/,
    ],
    [
      'two entries',
      () => [skills({ 'a/SKILL.md': '# x', 'a/scripts/run.py': '', 'a/scripts/run.sh': '' })],
      /more than one run/,
    ],
    ['a folder that is not there', () => [join(skills({}), 'gone')], /not there/],
    ['a link out', () => [withLink('/etc/passwd')], /link out/],
    ['a link to nothing', () => [withLink('gone')], /link out/],
    ['a skill that is a link', () => [linkedSkill()], /is a link/],
    ['a script anybody may change', () => [openScript()], /written by anybody/],
  ];

  function withLink(target: string): string {
    const folder = skills({ 'a/SKILL.md': '# x', 'a/scripts/run.sh': '' });
    symlinkSync(target, join(folder, 'a/scripts/data'));
    return folder;
  }

  function linkedSkill(): string {
    const folder = skills({});
    symlinkSync(join(skills({ 'a/SKILL.md': '# x' }), 'a'), join(folder, 'a'));
    return folder;
  }

  function openScript(): string {
    const folder = skills({ 'a/SKILL.md': '# x', 'a/scripts/run.sh': '' });
    chmodSync(join(folder, 'a/scripts/run.sh'), 0o666);
    return folder;
  }

  it.each(BAD)('%s is refused', async (_, folders, message) => {
    await expect(findSkills(folders())).rejects.toThrow(message);
  });

  it('a link within the skill is fine', async () => {
    expect(await findSkills([withLink('run.sh')])).toHaveLength(1);
  });
});

describe.each(USERS)('running skills as %s', (user) => {
  it('by their own first line where it can be used, else by their extension; with arguments, input and secrets', async () => {
    const here = scene(user);
    const script = 'import os, sys\nprint(sys.argv[1:], sys.stdin.read(), os.environ["GITHUB_TOKEN"], os.getcwd())\n';
    put(here, 'skills/bare/SKILL.md', '# x\n');
    put(here, 'skills/bare/scripts/run.py', script);
    put(here, 'skills/own/SKILL.md', '# x\n');
    put(here, 'skills/own/scripts/go.sh', '#!/usr/bin/env python3\nprint("python")\n', 0o755);
    put(here, 'skills/no-bit/SKILL.md', '# x\n');
    put(
      here,
      'skills/no-bit/scripts/go.bash',
      '#!/usr/bin/env python3\n[[ $0 == /skills/* ]] && echo "bash $1"; exit 9\n',
    );
    put(here, 'skills/words/SKILL.md', '# x\n');
    const result = await inMain(
      here,
      `const s = await open({ skills: [scene.skills] }); const all = [];
       all.push(show(await s.runSkill('bare', { args: ['a b', '$(id)', ''], input: 'typed' })).stdout);
       all.push(show(await s.runSkill('own')).stdout);
       const r = show(await s.runSkill('skill_no_bit', { args: ['x'] })); all.push(r.stdout, r.exitCode);
       all.push((await refused(s.runSkill('words'))).message, (await refused(s.runSkill('../x'))).message, (await refused(s.bash('a\\0b'))).kind);
       await s.close(); return all;`,
    );
    expect(result).toEqual([
      "['a b', '$(id)', ''] typed ghp-greg-2222-cccc /workspace\n",
      'python\n',
      'bash x\n',
      9,
      expect.stringContaining('instructions only'),
      expect.stringContaining('there is no skill'),
      'session',
    ]);
  });
});
