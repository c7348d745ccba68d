import { readFileSync, type Stats } from 'node:fs';
import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { reading } from '../../host/files.ts';
import { childOf, textOf } from '../../policy/load/node.ts';
import { Source } from '../../policy/load/source.ts';

const LONGEST = 1 << 20;
const LONGEST_DESCRIPTION = 1024;

export interface SkillDocument {
  readonly description: string;
  /** What follows the head. */
  readonly body: string;
}

/** SKILL.md: front matter, or plain `name:` and `description:` lines at its top, or its first heading. */
export async function readDocument(path: string): Promise<SkillDocument> {
  const text = readText(path).replaceAll('\r\n', '\n');
  const [head, body] = splitFrontMatter(text);
  const said = head === undefined ? plainDescription(body) : await describedIn(path, head);
  return { description: tidy(said ?? headingOf(body) ?? firstLine(body)), body: body.trim() };
}

function splitFrontMatter(text: string): [string | undefined, string] {
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(text);
  return match === null ? [undefined, text] : [match[1], text.slice(match[0].length)];
}

async function describedIn(path: string, head: string): Promise<string | undefined> {
  if (head.trim() === '') return undefined;
  const { readYaml } = await import('../../policy/load/yaml.ts');
  // One line down, as it stands in the file.
  const root = readYaml(new Source(path, `\n${head}`), { foreignTags: true });
  return textOf(childOf(root, 'description'));
}

/** The lines before the first section, a title aside. */
function plainDescription(text: string): string | undefined {
  const [top = ''] = text.split(/^##/m, 1);
  return /^description:[ \t]*(\S.*)$/im.exec(top)?.[1];
}

const headingOf = (text: string) => /^#{1,6}[ \t]+(.*\S)[ \t]*$/m.exec(text)?.[1];
const firstLine = (text: string) => text.trim().split('\n', 1)[0] ?? '';

const tidy = (text: string) => showText(text.replace(/\s+/g, ' ').trim()).slice(0, LONGEST_DESCRIPTION);

function readText(path: string): string {
  const data = readRegular(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    if (text.includes('\0')) throw new TypeError('binary');
    if (text.trim() !== '') return text;
  } catch {
    throw refusal(path, 'is no text', 'save it as UTF-8');
  }
  throw refusal(path, 'is empty', 'say in it what the skill does');
}

/** A link could lead anywhere, a pipe would wait for ever. */
function readRegular(path: string): Buffer {
  const look = (descriptor: number, stats: Stats) => {
    if (!stats.isFile() || stats.size > LONGEST) throw refusal(path, 'is no file of at most 1 MiB', 'look at it');
    return readFileSync(descriptor);
  };
  return reading(path, 'refused', look, (code) =>
    refusal(path, `cannot be read (${code})`, 'check its mode; it may be no link'),
  );
}

function refusal(path: string, what: string, hint: string): CordonError {
  return new CordonError('skill', `the file ${what}`, { where: path, hint });
}
