import { CordonError } from '../host/errors.ts';
import { nearest } from '../policy/nearest.ts';
import type { Adapter, BuiltIn } from './adapter.ts';
import { aider } from './adapters/aider.ts';
import { amp } from './adapters/amp.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { copilot } from './adapters/copilot.ts';
import { cursor } from './adapters/cursor.ts';
import { gemini } from './adapters/gemini.ts';
import { generic } from './adapters/generic.ts';
import { goose } from './adapters/goose.ts';
import { manager } from './adapters/manager.ts';
import { opencode } from './adapters/opencode.ts';
import { qwen } from './adapters/qwen.ts';

const ALL: readonly BuiltIn[] = [
  ...[claude, codex, gemini, qwen, aider, amp, generic, manager],
  ...[opencode, cursor, goose, copilot],
];

export const BUILT_IN_ADAPTERS: readonly Adapter[] = ALL.map((adapter) => ({ ...adapter, origin: 'built-in' }));

/** The adapter of that name among those given. */
export function findAdapter(name: string, adapters: readonly Adapter[]): Adapter {
  const found = adapters.find((adapter) => adapter.name === name);
  if (found !== undefined) return found;
  const known = adapters.map((adapter) => adapter.name);
  const near = nearest(name, known);
  throw new CordonError('agent', `there is no agent '${name}'`, {
    hint:
      near === undefined
        ? `known: ${known.join(', ')}; [agents.NAME] in cordon.toml adds one`
        : `did you mean ${near}?`,
  });
}
