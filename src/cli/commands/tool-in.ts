import { type Bytes, showText } from '../../host/bytes.ts';
import { containerTarget, targetText } from '../../policy/container-target.ts';
import { resetContainer, setContainer, type ToolEdit } from '../../tools/edits.ts';
import { toolSetup } from '../../tools/setup.ts';
import type { ToolPolicy } from '../../tools/tool-policy.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { configureAndShow } from './tool-configure.ts';

/** `cordon tool config TARGET in podman:IMAGE|docker:IMAGE|container:NAME|list|reset` */
export function configureIn(target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const edit = editOf(parsed);
  const setup = toolSetup(context.env);
  return configureAndShow({ setup, target, edit, show: (tool) => show(tool, parsed, context) }, context);
}

function editOf(parsed: ParsedArguments): ToolEdit | undefined {
  const [word = 'list', ...more] = [...parsed.words, ...(parsed.rest ?? [])];
  if (more.length > 0) throw usageError('in takes one word', 'for example: in podman:node:22');
  if (word === 'list') return undefined;
  if (word === 'reset') return resetContainer;
  return setContainer(targetText(containerTarget(textValue(word as Bytes, 'in'), 'in')));
}

function show(tool: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  const where = tool.in === undefined ? null : targetText(tool.in);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify({ tool: tool.name, in: where }, null, 2)}\n`);
  else context.out(`${showText(tool.name)} runs ${where === null ? 'on this machine' : `in ${showText(where)}`}\n`);
}
