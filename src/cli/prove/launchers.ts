import { type Launcher, underPrefix } from '../../../prove/launchers.ts';
import { examinePrefix, type PrefixedBy } from '../../../prove/prefix.ts';
import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../../host/bytes.ts';
import { homesOf, workingFolder } from '../../host/folders.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Context } from '../context.ts';
import { flagValues, type GivenFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { POLICY_FLAGS } from '../run-flags.ts';
import { version } from '../version.ts';
import type { Whereabouts } from './relocate.ts';
import { underPolicy } from './under-policy.ts';

/** Cordon with this policy, or the shim of the tool that was named. */
export async function ownLauncher(parsed: ParsedArguments, policy: Policy, context: Context): Promise<Launcher> {
  const from = whereabouts(context);
  const [tool] = flagValues(parsed, '--tool');
  if (tool === undefined)
    return underPolicy(policy, { from, version: version(), flags: shownFlags(parsed.flags).join(' ') });
  return shimLauncher(tool, parsed, context, from);
}

async function shimLauncher(tool: Bytes, parsed: ParsedArguments, { env }: Context, from: Whereabouts) {
  const other = policyFlags(parsed.flags).find(({ name }) => name !== '--tool');
  if (other !== undefined)
    throw usageError(`${other.name} does not go with --tool`, 'a shim carries out its own policy and no flags');
  const { toolNamed } = await import('../../tools/operations.ts');
  const { hasPolicy } = await import('../../tools/tool-policy.ts');
  const { toolSetup } = await import('../../tools/setup.ts');
  const { nativeFront } = await import('./under-policy.ts');
  nativeFront();
  const found = toolNamed(toolSetup(env), tool);
  if (!hasPolicy(found))
    throw usageError(
      `${showBytes(tool)} has no policy, so there is nothing to prove`,
      `give it one: cordon tool config ${showBytes(tool)} env base os-common`,
    );
  const { underShim } = await import('./under-shim.ts');
  return underShim(found, { from, version: version() });
}

/** The launchers to compare with, as they were given. */
export async function otherLaunchers(
  parsed: ParsedArguments,
  { env }: Context,
  around: Pick<PrefixedBy, 'folder' | 'signal'>,
): Promise<Launcher[]> {
  const prefixes = flagValues(parsed, '--under').map((value) => textValue(value, '--under'));
  const twice = prefixes.find((prefix, i) => prefixes.indexOf(prefix) !== i);
  if (twice !== undefined) throw usageError(`--under '${twice}' is given twice`, 'leave one of them out');
  const path = textOfBytes(env.get(bytesOfText('PATH')) ?? bytesOfText('')) ?? '';
  const launchers: Launcher[] = [];
  for (const prefix of prefixes) launchers.push(underPrefix(await examinePrefix(prefix, { path, ...around })));
  return launchers;
}

function whereabouts({ env }: Context): Whereabouts {
  const { home, passwdHome } = homesOf(env);
  return { homes: [home, passwdHome].filter((one) => one !== undefined), workdir: workingFolder() };
}

const policyFlags = (flags: readonly GivenFlag[]) =>
  flags.filter(({ name }) => POLICY_FLAGS.some((spec) => spec.name === name));

/** As they were given, save that a value to set is nobody else's business. */
function shownFlags(flags: readonly GivenFlag[]): string[] {
  return policyFlags(flags).flatMap(({ name, value }) => {
    if (value === '') return [name];
    const shown = showBytes(name === '--set' ? (value.replace(/=[\s\S]*/, '=***') as Bytes) : value);
    return [name, /^[\w@%+=:,./~-]+(=\*{3})?$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`];
  });
}
