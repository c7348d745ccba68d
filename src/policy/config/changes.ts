import { childOf, itemsOf, textOf } from '../load/node.ts';
import { Problems } from '../load/problems.ts';
import { expandPath } from '../places.ts';
import { check } from '../profile/shape.ts';
import { readConfigFile, sectionsIn } from './file.ts';
import { CHANGES } from './shape.ts';

/** How long and how much of what is put aside is kept. Undefined entries: as usual. */
export interface Keeping {
  readonly days?: number | undefined;
  readonly bytes?: number | undefined;
  /** Kept although they look like credentials. */
  readonly keep: readonly string[];
}

/** The section `changes` of cordon.toml. */
export function readKeeping(path: string, home: string | undefined): Keeping {
  const source = readConfigFile(path)?.source;
  if (source === undefined || !mentionsChanges(source.text)) return { keep: [] };
  const section = childOf(sectionsIn(source), 'changes');
  if (section === undefined) return { keep: [] };
  const problems = new Problems(source);
  check(CHANGES, section, problems);
  const keep = itemsOf(childOf(section, 'keep')).flatMap((node) => {
    const expanded = expandPath(textOf(node) ?? '', { home, workdir: undefined });
    if ('path' in expanded) return [expanded.path];
    problems.add(node.place, expanded.problem);
    return [];
  });
  problems.throwIfAny();
  const days = childOf(section, 'days');
  return {
    days: days?.kind === 'scalar' ? Number(days.value) : undefined,
    bytes: bytesOf(childOf(section, 'size')),
    keep,
  };
}

/** Reading the whole file costs a launch more than all the rest: most have no such section. */
const mentionsChanges = (text: string) => /^\s*(\[\s*)?["']?changes\b/m.test(text);

const UNITS = ['', 'K', 'M', 'G', 'T'];

function bytesOf(node: ReturnType<typeof childOf>): number | undefined {
  if (node?.kind !== 'scalar') return undefined;
  const [, number = '', unit = ''] = /^(\d+)([KMGT]?)$/.exec(String(node.value)) ?? [];
  return Number(number) * 1024 ** UNITS.indexOf(unit);
}
