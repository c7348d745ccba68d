import { dirname } from 'node:path';
import { type Bytes, bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { ContainerTarget } from '../../policy/container-target.ts';
import { readConfig } from '../../tools/config/read.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { policyOf, type ToolPolicy } from '../../tools/tool-policy.ts';
import { runContainer } from '../container-run.ts';
import type { Context } from '../context.ts';
import { textValue, usageError } from '../flags.ts';

/** Called by the shim of a tool that runs in a container, which was just found to be as new as the policy file. */
export async function run([name, config, bin, state, ...args]: readonly Bytes[], context: Context): Promise<number> {
  if (name === undefined || config === undefined || bin === undefined || state === undefined)
    throw usageError('tool start is called by shims', 'to start a tool, type its name');
  const text = (word: Bytes) => textValue(word, 'a path');
  const setup = toolSetup(context.env, { config: text(config), bin: text(bin), state: text(state) });
  const tool = toolOf(setup, text(name));
  const policy = { ...policyOf(tool, setup.homes), files: [setup.config] };
  const folders = { config: dirname(setup.config), bin: setup.bin, state: setup.state };
  return runContainer({ argv: [name, ...args], policy, target: tool.in, quiet: isQuiet(context), folders }, context);
}

function toolOf({ config: path }: ToolSetup, name: string): ToolPolicy & { readonly in: ContainerTarget } {
  const { tools, broken } = readConfig(path);
  const problem = broken.get(name);
  if (problem !== undefined) throw problem;
  const tool = tools.get(name);
  if (tool?.in !== undefined) return { ...tool, in: tool.in };
  throw new CordonError('policy', `${name} is no longer in a container`, { where: path, hint: 'cordon tool apply' });
}

const isQuiet = ({ env }: Context) =>
  ['CORDON_POLICY_QUIET', 'CORDON_QUIET'].some((name) => env.get(bytesOfText(name)) === '1');
