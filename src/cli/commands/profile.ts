import type { Bytes } from '../../host/bytes.ts';
import { PROFILE_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import type { Context } from '../context.ts';
import { chosen, type ParsedArguments, parseArguments, textValue } from '../flags.ts';

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
  schema: async () => {
    const { profileJsonSchema } = await import('../../policy/profile/schema.ts');
    return {
      run: (_, { out }) => {
        out(`${JSON.stringify(profileJsonSchema(), null, 2)}\n`);
        return 0;
      },
    };
  },
};

export const run: CommandModule['run'] = async (args: readonly Bytes[], context) => {
  const parsed = parseArguments(args, { flags: PROFILE_FLAGS });
  const [name, ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  const subcommand = await chosen('cordon profile', name, SUBCOMMANDS)();
  return subcommand.run({ parsed, words: words.map((word) => textValue(word, 'a profile')) }, context);
};
