import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { Secret } from '../../secrets/secret.ts';
import { Unavailable } from '../../secrets/sources/source.ts';
import type { Context } from '../context.ts';
import { toolsOf } from '../credential-tools.ts';
import type { Asker } from '../ui/ask.ts';

interface Surroundings {
  readonly asker: Asker | undefined;
  readonly context: Context;
}

/** Takes the values that are set in this shell into the vault, so that they need not stay in the shell. What the vault has already is kept. */
export async function storeInVault(names: readonly string[], { asker, context }: Surroundings): Promise<void> {
  const set = names.filter((name) => (context.env.get(bytesOfText(name)) ?? '') !== '');
  if (set.length === 0) return;
  const agreed = await asker?.confirm(`Take ${set.join(', ')} from this shell into the vault?`, true);
  if (agreed === false) return context.out(set.map((name) => `  cordon creds set ${name}\n`).join(''));
  for (const name of set) await storeOne(name, context);
}

async function storeOne(name: string, context: Context): Promise<void> {
  const { vault } = toolsOf(context);
  const value = context.env.get(bytesOfText(name));
  if (value === undefined) return;
  try {
    if ((await vault.get(name)) !== undefined)
      return context.out(`the vault has ${name} already, which stays as it is\n`);
    await vault.set(name, new Secret(value));
    context.out(`stored ${name} in the vault; it need not be exported in your shell any more\n`);
  } catch (error) {
    if (!(error instanceof CordonError || error instanceof Unavailable)) throw error;
    context.err(`cordon: ${name} was not stored: ${error.message}\n  hint: cordon creds set ${name}\n`);
  }
}
