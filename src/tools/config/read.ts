import { type BigIntStats, existsSync } from 'node:fs';
import { CONFIG } from '../../policy/config/shape.ts';
import { childOf, type Entry, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import { Problems } from '../../policy/load/problems.ts';
import { readTrustedText } from '../../policy/load/read-file.ts';
import { Source } from '../../policy/load/source.ts';
import { readToml } from '../../policy/load/toml.ts';
import { Pattern } from '../../policy/pattern.ts';
import type { AllowRule, DenyRule, FsPreset } from '../../policy/policy.ts';
import { check } from '../../policy/profile/shape.ts';
import { nameProblem } from '../name.ts';
import { type ToolBase, type ToolPolicy, withoutPolicy } from '../tool-policy.ts';

export interface Config {
  /** The file's path, for messages. */
  readonly name: string;
  readonly text: string;
  /** Undefined as long as there is no file. */
  readonly file: BigIntStats | undefined;
  readonly tools: ReadonlyMap<string, ToolPolicy>;
  /** The other sections that are there. */
  readonly otherSections: readonly string[];
}

/** A file that isn't there says nothing; a bad one is refused whole. */
export function readConfig(path: string): Config {
  if (!existsSync(path)) return { name: path, text: '', file: undefined, tools: new Map(), otherSections: [] };
  const { text, file } = readTrustedText(path);
  return parseConfig(path, text, file);
}

export function parseConfig(name: string, text: string, file?: BigIntStats): Config {
  const source = new Source(name, text);
  const entries = saysNothing(text) ? [] : sections(source);
  const tools = entries.find(({ key }) => key === 'tools')?.value;
  const policies = tools?.kind === 'map' ? tools.entries.map((entry) => toolOf(source, entry)) : [];
  return {
    name,
    text,
    file,
    tools: new Map(policies.map((tool) => [tool.name, tool])),
    otherSections: entries.map(({ key }) => key).filter((key) => key !== 'tools'),
  };
}

const saysNothing = (text: string) => text.split('\n').every((line) => /^\s*(#|$)/.test(line));

function sections(source: Source): readonly Entry[] {
  const root = readToml(source);
  const problems = new Problems(source);
  check(CONFIG, root, problems);
  for (const { key, keyPlace } of mapEntries(childOf(root, 'tools'))) {
    const problem = nameProblem(key);
    if (problem !== undefined) problems.add(keyPlace, `'${key}' is not the name of a command: ${problem}`);
  }
  for (const path of pathNodes(childOf(root, 'tools'))) {
    if (!/^(\/|~(\/|$))/.test(textOf(path) ?? '/'))
      problems.add(path.place, 'expected an absolute path or one that begins with ~/');
  }
  problems.throwIfAny();
  return root.entries;
}

const mapEntries = (node: Node | undefined): readonly Entry[] => (node?.kind === 'map' ? node.entries : []);

function pathNodes(tools: Node | undefined): Node[] {
  return mapEntries(tools).flatMap(({ value }) =>
    ['fs_ro', 'fs_rw', 'fs_hide'].flatMap((key) => itemsOf(childOf(value, key))),
  );
}

function toolOf(source: Source, { key: name, value }: Entry): ToolPolicy {
  const none = withoutPolicy(name);
  const base = childOf(value, 'env_base');
  const texts = (key: string) => itemsOf(childOf(value, key)).map((item) => textOf(item) ?? '');
  return {
    name,
    base: base === undefined ? none.base : { preset: textOf(base) as ToolBase, origin: source.where(base.place) },
    allow: itemsOf(childOf(value, 'env_allow')).map((item) => allowRule(source, item)),
    deny: mapEntries(childOf(value, 'env_deny')).map((entry) => denyRule(source, entry)),
    fs: {
      preset: (textOf(childOf(value, 'fs_base')) ?? none.fs.preset) as FsPreset,
      ro: texts('fs_ro'),
      rw: texts('fs_rw'),
      hide: texts('fs_hide'),
    },
  };
}

function allowRule(source: Source, item: Node): AllowRule {
  const origin = source.where(item.place);
  return { pattern: Pattern.parse(textOf(item) ?? '', origin), origin };
}

function denyRule(source: Source, { key, keyPlace, value }: Entry): DenyRule {
  const origin = source.where(keyPlace);
  const except = itemsOf(childOf(value, 'except')).map((item) =>
    Pattern.parse(textOf(item) ?? '', source.where(item.place)),
  );
  return { pattern: Pattern.parse(key, origin), except, origin };
}
