import type { Bytes } from '../../host/bytes.ts';
import type { Policy } from '../../policy/policy.ts';
import { toolNamed } from '../../tools/operations.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { policyOf, type ToolPolicy } from '../../tools/tool-policy.ts';
import type { Context } from '../context.ts';
import { flagValues, type ParsedArguments, usageError } from '../flags.ts';

/** `--tool NAME`: the policy that NAME's shim carries out. */
export function toolStartPolicy(parsed: ParsedArguments, context: Context): Policy {
  const { tool, setup } = toolAsked(parsed, context);
  return policyOf(tool, setup.homes);
}

export function toolAsked(
  parsed: ParsedArguments,
  context: Context,
): { readonly tool: ToolPolicy; readonly setup: ToolSetup } {
  const [name, ...more] = flagValues(parsed, '--tool');
  if (name === undefined || more.length > 0) throw usageError('--tool is given once');
  for (const other of ['--profile', '--agent']) {
    if (flagValues(parsed, other).length > 0)
      throw usageError(`--tool and ${other} both say what to start from`, 'leave one of them out');
  }
  const setup = toolSetup(context.env);
  return { tool: toolNamed(setup, name as Bytes), setup };
}
