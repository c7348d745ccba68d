import type { ParentEnv } from '../../host/parent-env.ts';
import type { Node, Place } from '../../policy/load/node.ts';
import type { Source } from '../../policy/load/source.ts';
import type { ProfilePlaces } from '../../policy/profile/find.ts';
import type { Findings } from '../finding.ts';

export const KINDS = [
  'profile',
  'config',
  'secrets',
  'allowlist',
  'env-list',
  'workflow',
  'dockerfile',
  'compose',
  'manifest',
  'settings',
  'package',
] as const;

export type Kind = (typeof KINDS)[number];

export interface CheckOptions {
  /** Only its names are looked at. */
  readonly env: ParentEnv;
  readonly places: ProfilePlaces;
  /** Cordon's state folder, which knows the placeholders of earlier launches. */
  readonly state?: string | undefined;
}

export interface CheckedFile {
  readonly path: string;
  readonly source: Source;
  /** The mode of the file. */
  readonly mode: number;
  /** Undefined for what is no JSON, TOML or YAML. */
  readonly root: Node | undefined;
  readonly findings: Findings;
  readonly options: CheckOptions;
}

export type Checker = (file: CheckedFile) => void | Promise<void>;

/** From where a rule says it is written back to the spot, when it is in this file. */
export function placesIn(source: Source): (origin: string) => Place | undefined {
  return (origin) => {
    if (!origin.startsWith(`${source.name}:`)) return undefined;
    const [, line, column] = /^:(\d+):(\d+)$/.exec(origin.slice(source.name.length)) ?? [];
    if (line === undefined || column === undefined) return undefined;
    const start = source.lineStart(Number(line)) + Number(column) - 1;
    return { start, end: start + lengthAt(source.text, start) };
  };
}

/** Up to the end of the quoted text or the word. */
function lengthAt(text: string, start: number): number {
  const rest = text.slice(start, start + 512);
  return /^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,\]}]+)/.exec(rest)?.[0].length ?? 1;
}
