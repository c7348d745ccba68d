import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { following, isKind } from '../../src/cli/completion-words.ts';
import { ROOT } from '../support/project.ts';
import { blocksOf, PAGES, sessionsOf, textOf } from './docs-blocks.ts';

const ALL = [...PAGES, 'SECURITY.md', 'CONTRIBUTING.md'];

const withoutBlocks = (page: string) => textOf(page).replace(/^\s*```[\s\S]*?^\s*```\s*$/gm, '');

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));
}

describe.each(ALL)('%s', (page) => {
  it('links to what is there', () => {
    const links = [...withoutBlocks(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    for (const link of links.filter((one) => !/^[a-z]+:/.test(one))) {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      expect(existsSync(file), link).toBe(true);
      if (anchor !== undefined && statSync(file).isFile()) expect(anchorsOf(file), link).toContain(anchor);
    }
  });

  // A row of a table is one line, what a program prints is as long as it is, and some words can't be broken.
  it('has no line that is longer than a page is wide', () => {
    const own = textOf(page).replace(/^```text$[\s\S]*?^```$/gm, '');
    const long = own
      .split('\n')
      .filter((line) => line.length > 120 && !line.startsWith('|') && /\S\s/.test(line.replace(/ \\$/, '').trim()));
    expect(long).toEqual([]);
  });

  it('speaks of commands and flags that exist', () => {
    const spans = [...withoutBlocks(page).matchAll(/`(?:\.\/scripts\/run|cordon) ([^`]+)`/g)].map(
      ([, line = '']) => line,
    );
    for (const line of spans) expect(problemOf(line.replaceAll('\\|', '|').split(/\s+/)), line).toBeUndefined();
  });
});

/** What of this command line the program would not know; what stands for something else, in capitals, is fine anywhere. */
function problemOf(words: readonly string[]): string | undefined {
  const [name = '', ...rest] = words;
  if (name.startsWith('-') || name === 'help') return undefined;
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command === undefined) return isKind(name) ? undefined : `no command ${name}`;
  const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  const flags = own.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] as string);
  const unknown = flags.find((flag) => !command.flags.some((known) => known.name === flag.replace(/[|\]…].*/, '')));
  if (unknown !== undefined) return `no flag ${unknown}`;
  const next = following([name]);
  const [word] = own;
  const isWord = word !== undefined && /^[a-z]+$/.test(word) && !next.some(isKind);
  return isWord && !next.includes(word) ? `no word ${word}` : undefined;
}

describe('docs/troubleshooting.md', () => {
  it('shows for every entry the command and what it prints', () => {
    const entries = [...textOf('docs/troubleshooting.md').matchAll(/^### /gm)].length;
    const sessions = sessionsOf('docs/troubleshooting.md');
    expect(entries).toBeGreaterThan(30);
    expect(sessions.filter(({ prints }) => prints !== undefined)).toHaveLength(entries);
    expect(blocksOf('docs/troubleshooting.md')).toHaveLength(2 * entries);
  });
});

it('the page of each command is there', () => {
  for (const { page } of COMMANDS)
    if (page !== undefined) expect(existsSync(join(ROOT, 'docs', page)), page).toBe(true);
});
