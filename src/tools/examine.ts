import { accessSync, constants } from 'node:fs';
import { bufferOfBytes, showBytes, showText } from '../host/bytes.ts';
import { foldersOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { interpreterOf, readBinEntry } from './bin-entry.ts';
import { brokenWarnings, readConfig } from './config/read.ts';
import { placesOf } from './setup.ts';
import { isRunnableTarget, shadowOfBin } from './target.ts';
import { hasPolicy, type ToolPolicy } from './tool-policy.ts';

export interface ToolsFinding {
  readonly state: 'ok' | 'weaker';
  readonly found: string;
  readonly means?: string;
  readonly fix?: string;
}

/** Whether typing the name of a tool does what its policy says; undefined when there are no tools. */
export function examineTools(env: ParentEnv): ToolsFinding | undefined {
  if (foldersOf(env).config === undefined) return undefined;
  const { config, bin } = placesOf(env);
  const read = readConfig(config);
  const tools = [...read.tools.values()];
  if (tools.length === 0) return undefined;
  const broken = [...brokenWarnings(read), ...tools.flatMap((tool) => problemOf(tool, bin))];
  if (broken.length > 0)
    return {
      state: 'weaker',
      found: broken.map(showText).join('; '),
      means: 'these tools run without their policy or not at all',
      fix: 'cordon tool apply',
    };
  const shadow = shadowOfBin(
    env,
    bin,
    tools.map(({ name }) => name),
  );
  if (shadow === undefined) return { state: 'ok', found: `${tools.length} in ${showText(bin)}` };
  return {
    state: 'weaker',
    found: shadow,
    means: 'typing the name of a tool starts it without its policy',
    fix: 'cordon tool path',
  };
}

function problemOf(tool: ToolPolicy, bin: string): string[] {
  const entry = readBinEntry(bin, tool.name);
  if (entry.kind === 'absent' || entry.kind === 'foreign') return [`${tool.name} has no shim`];
  if (tool.in !== undefined && entry.kind !== 'inside') return [`${tool.name} has a container and no shim for it`];
  if (entry.kind !== 'inside' && !isRunnableTarget(entry.path))
    return [`${tool.name} is gone from ${showBytes(entry.path)}`];
  if (entry.kind === 'link') return hasPolicy(tool) ? [`${tool.name} has a policy and no shim`] : [];
  const launcher = interpreterOf(entry.text);
  try {
    accessSync(bufferOfBytes(launcher), constants.X_OK);
    return [];
  } catch {
    return [`${tool.name} needs the launcher ${showBytes(launcher)}, which is gone`];
  }
}
