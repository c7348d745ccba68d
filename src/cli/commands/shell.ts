import { basename } from 'node:path';
import { type Bytes, bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { workingFolder } from '../../host/folders.ts';
import { handOver } from '../../launch/hand-over.ts';
import { prepare } from '../../launch/prepare.ts';
import { type Copies, pathOf } from '../../plan/places/index.ts';
import type { Policy } from '../../policy/policy.ts';
import { type Context, showNotes, showWarnings } from '../context.ts';
import { credentialsFor } from '../credentials.ts';
import { parseArguments, usageError } from '../flags.ts';
import { POLICY_FLAGS, QUIET_FLAGS } from '../run-flags.ts';
import { isQuiet, policyForCommand, refuseContainer } from '../start-policy.ts';

/** An interactive shell behind the policy, whose prompt says so. */
export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: [...POLICY_FLAGS, ...QUIET_FLAGS] });
  if (parsed.words.length > 0 || (parsed.rest ?? []).length > 0)
    throw usageError('shell takes no command', 'cordon run -- CMD starts one');
  await refuseContainer(parsed, context, 'shell');
  const { policy: asked, notes } = await policyForCommand(parsed, undefined, context);
  const shell = shellOf(context);
  const { argv, files, policy } = withMarker(shell, asked);
  const quiet = isQuiet(parsed, context);
  showWarnings(policy.warnings, context);
  if (!quiet) showNotes(notes, context);
  const credentials = await credentialsFor(policy, parsed, context);
  const request = { policy, env: context.env, argv, workdir: workingFolder(), credentials, record: true, quiet, files };
  const prepared = prepare(request);
  showWarnings(prepared.warnings, context);
  if (handOver(prepared.plan)) return 0;
  return (await import('../../launch/launch.ts')).launchAndStay(prepared.plan);
}

/** The user's own, else the one that every system has. */
function shellOf({ env }: Context): Bytes {
  const named = env.get(bytesOfText('SHELL'));
  return named?.startsWith('/') === true ? named : bytesOfText('/bin/sh');
}

interface Marked {
  readonly argv: readonly [Bytes, ...Bytes[]];
  readonly files: Copies['copies'];
  readonly policy: Policy;
}

const RC_FILE = '/tmp/.cordon-shell';

/** Each kind of shell has its own way to a prompt that its start-up files do not write over. */
function withMarker(shell: Bytes, policy: Policy): Marked {
  const marker = `(cordon: ${policy.origin.replace(/[^\w ,.:@/+-]/g, '?')})`;
  const kind = basename(textOfBytes(shell) ?? '');
  const setting = (name: string, value: string): Policy => ({
    ...policy,
    set: [...policy.set, { name: bytesOfText(name), value: bytesOfText(value), origin: 'cordon shell' }],
  });
  const words = (...more: readonly string[]): Marked['argv'] => [shell, ...more.map(bytesOfText)];
  const rc = pathOf(RC_FILE);
  if (kind === 'bash' && rc !== undefined && policy.isolation !== 'filter' && policy.filesystem.preset !== 'all') {
    const text = `[ -r ~/.bashrc ] && . ~/.bashrc\nPS1='${marker} '"$PS1"\n`;
    return { argv: words('--rcfile', RC_FILE, '-i'), files: [{ path: rc, text: bytesOfText(text) }], policy };
  }
  if (kind === 'fish') {
    const prompt = `functions -c fish_prompt cordon_prompt; function fish_prompt; echo -n '${marker} '; cordon_prompt; end`;
    return { argv: words('-i', '-C', prompt), files: [], policy };
  }
  if (kind === 'zsh') return { argv: words('-i'), files: [], policy: setting('RPROMPT', marker) };
  return { argv: words('-i'), files: [], policy: setting('PS1', `${marker} $ `) };
}
