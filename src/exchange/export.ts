import type { Policy } from '../policy/policy.ts';
import { toCodex } from './to/codex.ts';
import { toDevcontainer, toDocker, toFirejail } from './to/containers.ts';
import { toClaude, toGemini, toNono, toSrt } from './to/json-tools.ts';
import { type Exported, type Exporter, type Target, View } from './to/view.ts';

const EXPORTERS: Readonly<Record<Target, Exporter>> = {
  codex: toCodex,
  gemini: toGemini,
  claude: toClaude,
  srt: toSrt,
  nono: toNono,
  docker: toDocker,
  devcontainer: toDevcontainer,
  firejail: toFirejail,
};

/** A policy in another tool's words. It has to be loaded with the stand-ins for the folders of its user. */
export function exportPolicy(target: Target, name: string, policy: Policy, home: string | undefined): Exported {
  return EXPORTERS[target](new View(name, policy, home));
}
