import type { Row } from '../fate.ts';
import type { View } from './view.ts';

export const TARGETS = ['codex', 'gemini', 'claude', 'srt', 'nono', 'docker', 'devcontainer', 'firejail'] as const;
export type Target = (typeof TARGETS)[number];

/** What a profile comes to in another tool's words. */
export interface Exported {
  readonly text: string;
  readonly rows: readonly Row[];
}

export type Exporter = (view: View) => Exported;
