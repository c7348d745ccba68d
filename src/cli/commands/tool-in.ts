import { type Bytes, showText } from '../../host/bytes.ts';
import { containerTarget, targetText } from '../../policy/container-target.ts';
import { resetContainer, setContainer, type ToolEdit } from '../../tools/edits.ts';
import type { ToolPolicy } from '../../tools/tool-policy.ts';
import { type ParsedArguments, textValue, usageError } from '../flags.ts';
import type { ConfigPart } from './tool-configure.ts';

/** `cordon tool config TARGET in podman:IMAGE|docker:IMAGE|container:NAME|list|reset` */
export const IN: ConfigPart = {
  editOf,
  asJson: (tool) => ({ tool: tool.name, in: whereOf(tool) ?? null }),
  asText: (tool) => {
    const where = whereOf(tool);
    return `${showText(tool.name)} runs ${where === undefined ? 'on this machine' : `in ${showText(where)}`}\n`;
  },
};

const whereOf = (tool: ToolPolicy) => (tool.in === undefined ? undefined : targetText(tool.in));

function editOf(parsed: ParsedArguments): ToolEdit | undefined {
  const [word = 'list', ...more] = [...parsed.words, ...(parsed.rest ?? [])];
  if (more.length > 0) throw usageError('in takes one word', 'for example: in podman:node:22');
  if (word === 'list') return undefined;
  if (word === 'reset') return resetContainer;
  return setContainer(targetText(containerTarget(textValue(word as Bytes, 'in'), 'in')));
}
