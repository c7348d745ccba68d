import { type Bytes, showBytes } from '../../host/bytes.ts';
import { nearest } from '../../policy/nearest.ts';
import { type CommandModule, PROFILE_FLAGS } from '../commands.ts';
import type { Context } from '../context.ts';
import { type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';

export interface ProfileArguments {
  readonly parsed: ParsedArguments;
  /** What follows the name of the subcommand. */
  readonly words: readonly string[];
}

export interface ProfileSubcommand {
  run(args: ProfileArguments, context: Context): Promise<number> | number;
}

const SUBCOMMANDS: Readonly<Record<string, () => Promise<ProfileSubcommand>>> = {
  list: () => import('./profile-list.ts'),
  show: () => import('./profile-show.ts'),
  validate: () => import('./profile-validate.ts'),
  init: () => import('./profile-init.ts'),
  diff: () => import('./profile-diff.ts'),
  schema: () => import('./profile-schema.ts'),
};

export const run: CommandModule['run'] = async (args: readonly Bytes[], context) => {
  const parsed = parseArguments(args, { flags: PROFILE_FLAGS });
  const [name, ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  const load = name !== undefined && Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (load === undefined) throw unknownSubcommand(name);
  return (await load()).run({ parsed, words: words.map((word) => textValue(word, 'a profile')) }, context);
};

function unknownSubcommand(name: Bytes | undefined): Error {
  const known = Object.keys(SUBCOMMANDS);
  const choice = `cordon profile ${known.join(' | ')}`;
  if (name === undefined) return usageError('cordon profile needs to know what to do', choice);
  const near = nearest(name, known);
  return usageError(
    `cordon profile does not know '${showBytes(name)}'`,
    near === undefined ? choice : `did you mean cordon profile ${near}?`,
  );
}
