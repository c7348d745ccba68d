import type { Bytes } from '../../host/bytes.ts';
import type { ToolEdit } from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import { hasPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import type { Workshop } from '../../tools/workshop.ts';
import type { Context } from '../context.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection, warnAboutTool } from './tool-report.ts';

export interface Configuring {
  readonly shop: Workshop;
  readonly target: Bytes;
  /** Without one the policy is only shown. */
  readonly edit: ToolEdit | undefined;
  readonly show: (tool: ToolPolicy) => void;
}

/** Changes one part of a tool's policy, shows what it is now, and says what this machine makes of it. */
export function configureAndShow({ shop, target, edit, show }: Configuring, context: Context): number {
  if (edit === undefined) show(toolNamed(shop, target));
  else {
    const { target: found, outcome } = configureTool(shop, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(shop, context);
  }
  warnAboutProtection(shop, context);
  return 0;
}
