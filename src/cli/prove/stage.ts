import type { Bytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { workingFolder } from '../../host/working-folder.ts';
import { handOver } from '../../launch/hand-over.ts';
import { heldBack } from '../../launch/held-back.ts';
import { prepare } from '../../launch/prepare.ts';
import { Secret } from '../../secrets/secret.ts';
import type { Context } from '../context.ts';
import { textValue, usageError } from '../flags.ts';
import { readPolicyFile } from './policy-file.ts';

/** `prove stage FILE -- CMD ARG…`: what `cordon run` does, by a policy that was read before, in a home that is only a stage. */
export async function run([file, dashes, name, ...args]: readonly Bytes[], { env }: Context): Promise<number> {
  if (file === undefined || dashes !== '--' || name === undefined)
    throw usageError('prove stage is called by cordon prove', 'to start a command: cordon run -- CMD');
  const policy = readPolicyFile(textValue(file, 'a path'));
  const given = new Map(policy.credentials.map(({ target }) => [target, new Secret(env.get(target) ?? ('' as Bytes))]));
  const { plan } = prepare({
    ...(await heldBack(policy, given, env)),
    env,
    argv: [name, ...args],
    workdir: workingFolder(),
    record: false,
    staged: true,
  });
  if (handOver(plan)) return 0;
  throw new CordonError('launcher', 'only the native program can stage a command');
}
