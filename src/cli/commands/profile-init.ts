import { bytesOfText, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import type { Context } from '../context.ts';
import { hasFlag, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { Asker } from '../ui/ask.ts';
import type { ProfileSubcommand } from './profile.ts';
import { type Answers, answersFromFlags, askForAnswers } from './profile-init-answers.ts';
import { profileText } from './profile-init-text.ts';
import { storeInVault } from './profile-init-vault.ts';
import { existingProfile, writeProfile } from './profile-init-write.ts';

/** Writes a first profile: asks on a terminal, else goes by the flags. */
export const run: ProfileSubcommand['run'] = async ({ parsed, words }, context) => {
  if (words.length > 0) throw usageError('profile init takes no words', 'cordon profile init --name NAME');
  const asker = process.stdin.isTTY && !hasFlag(parsed, '--yes') ? new Asker() : undefined;
  try {
    const given = answersFromFlags(parsed);
    const answers = asker === undefined ? given : await askForAnswers(given, asker, context);
    await refuseExisting(answers, asker, context);
    const path = writeProfile(folderOf(context), answers.name, profileText(answers));
    context.out(`wrote ${showText(path)}\n`);
    await storeInVault(answers.credentials, { asker, context });
    await nextSteps(answers, context);
    return 0;
  } finally {
    asker?.close();
  }
};

function folderOf({ folders }: Context): string {
  if (folders.config !== undefined) return folders.config;
  throw new CordonError('policy', 'there is no folder for profiles: no home folder is known', {
    hint: 'set CORDON_HOME or HOME',
  });
}

async function refuseExisting({ name, force }: Answers, asker: Asker | undefined, context: Context): Promise<void> {
  const path = existingProfile(folderOf(context), name);
  if (path === undefined || force) return;
  if ((await asker?.confirm(`${showText(path)} is there already. Write over it?`, false)) === true) return;
  throw new CordonError('policy', 'there is a profile of that name already', {
    where: path,
    hint: 'choose another --name, or --force to write over it',
  });
}

/** Reading it back makes sure that what was written is a profile. */
async function nextSteps({ name, credentials }: Answers, context: Context): Promise<void> {
  await resolveProfiles([name], profilePlaces(context));
  const unset = credentials.filter((variable) => context.env.get(bytesOfText(variable)) === undefined);
  const steps = [
    ...unset.map((variable) => [`cordon creds set ${variable}`, 'store the credential it needs']),
    [`cordon explain --profile ${name}`, 'every variable, and whether it arrives'],
    [`cordon run --profile ${name} -- CMD`, 'start something with it'],
  ];
  const width = Math.max(...steps.map(([command]) => command?.length ?? 0));
  for (const [command, what] of steps) context.out(`  ${command?.padEnd(width)}  ${what}\n`);
}
