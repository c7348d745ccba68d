import { probeBarrier } from '../../launch/probe.ts';
import type { ConfigOutcome } from '../../tools/change.ts';
import { brokenWarnings } from '../../tools/config/read.ts';
import type { ToolSetup } from '../../tools/setup.ts';
import { shadowOfBin } from '../../tools/target.ts';
import { hasPolicy, type ToolPolicy, toolWarnings } from '../../tools/tool-policy.ts';
import { type Context, showWarnings } from '../context.ts';

/** Said every time, so that nobody finds out later: what this machine cannot hold of the policy. */
export function warnAboutProtection({ launcher }: ToolSetup, context: Context): void {
  if ('problem' in launcher) {
    showWarnings([`policies are kept, but not enforced: ${launcher.problem}; ${launcher.hint}`], context);
    return;
  }
  const { ok, found } = probeBarrier();
  if (ok) return;
  showWarnings(
    [
      `no barrier here (${found}): variables are filtered, but a tool can still read the environment of your shell in /proc, and files on disk; a filesystem policy keeps its tool from starting. cordon doctor says how to get the barrier`,
    ],
    context,
  );
}

export function warnAboutTool(
  tool: ToolPolicy | undefined,
  { notes, config }: Pick<ConfigOutcome, 'notes' | 'config'>,
  context: Context,
): void {
  showWarnings(
    [
      ...brokenWarnings(config),
      ...(tool === undefined ? [] : toolWarnings(tool)),
      ...(tool !== undefined && hasPolicy(tool) ? notes : []),
    ],
    context,
  );
}

export function warnUnlessFirstOnPath({ env, bin }: ToolSetup, context: Context): void {
  const problem = shadowOfBin(env, bin);
  if (problem !== undefined) showWarnings([`${problem}; cordon tool path prints the line that fixes it`], context);
}
