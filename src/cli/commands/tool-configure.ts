import type { Bytes } from '../../host/bytes.ts';
import type { ToolEdit } from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import type { ToolSetup } from '../../tools/setup.ts';
import { hasPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import type { Context } from '../context.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection, warnAboutTool } from './tool-report.ts';

export interface Configuring {
  readonly setup: ToolSetup;
  readonly target: Bytes;
  /** Without one the policy is only shown. */
  readonly edit: ToolEdit | undefined;
  readonly show: (tool: ToolPolicy) => void;
}

/** Changes one part of a tool's policy, shows what it is now, and says what this machine makes of it. */
export function configureAndShow({ setup, target, edit, show }: Configuring, context: Context): number {
  if (edit === undefined) show(toolNamed(setup, target));
  else {
    const { target: found, outcome } = configureTool(setup, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(setup, context);
  }
  warnAboutProtection(setup, context);
  return 0;
}
