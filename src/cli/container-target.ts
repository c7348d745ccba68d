import { type ContainerTarget, containerTarget } from '../policy/container-target.ts';
import type { Context } from './context.ts';
import { flagValues, type ParsedArguments, textValue, usageError } from './flags.ts';
import { IN_FLAG } from './policy-flags.ts';

/** What runs on this machine alone does not take the policy of a tool that is meant for elsewhere. */
export async function refuseContainer(parsed: ParsedArguments, context: Context, command: string): Promise<void> {
  if ((await targetOf(parsed, context)) === undefined) return;
  throw usageError(`this tool runs in a container, and ${command} does not`, 'cordon run --tool TOOL -- CMD does');
}

/** Which container a command is asked to run in: the one that is named, else that of the tool whose policy it gets. */
export async function targetOf(parsed: ParsedArguments, context: Context): Promise<ContainerTarget | undefined> {
  const [given, ...more] = flagValues(parsed, IN_FLAG.name);
  if (more.length > 0) throw usageError('--in is given once', 'a command runs in one container');
  if (given !== undefined) return containerTarget(textValue(given, IN_FLAG.name));
  if (flagValues(parsed, '--tool').length === 0) return undefined;
  return (await import('./commands/tool-start-policy.ts')).toolAsked(parsed, context).tool.in;
}
