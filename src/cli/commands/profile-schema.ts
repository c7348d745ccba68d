import { profileJsonSchema } from '../../policy/profile/schema.ts';
import type { ProfileSubcommand } from './profile.ts';

export const run: ProfileSubcommand['run'] = (_args, context) => {
  context.out(`${JSON.stringify(profileJsonSchema(), null, 2)}\n`);
  return 0;
};
