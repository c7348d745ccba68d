import type { ParentEnv } from '../../host/parent-env.ts';
import type { Node } from '../../policy/load/node.ts';
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
