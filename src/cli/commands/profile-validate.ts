import { CordonError, EXIT } from '../../host/errors.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import { unresolvedCredentials } from '../../secrets/resolve.ts';
import { type Context, showWarnings } from '../context.ts';
import { hasFlag, usageError } from '../flags.ts';
import { profilePlaces, withWildcardWarnings } from '../profiles.ts';
import { painter } from '../ui/colour.ts';
import { errorText } from '../ui/show-error.ts';
import type { ProfileSubcommand } from './profile.ts';

interface Outcome {
  readonly profile: string;
  readonly errors: readonly CordonError[];
  readonly warnings: readonly string[];
}

/** All findings of all files, then one exit code. */
export const run: ProfileSubcommand['run'] = async ({ parsed, words }, context) => {
  if (words.length === 0) throw usageError('profile validate needs a file', 'cordon profile validate FILE…');
  const outcomes = await Promise.all(words.map((word) => validate(word, context)));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(outcomes.map(asJson), null, 2)}\n`);
  else for (const outcome of outcomes) show(outcome, context);
  return outcomes.every(({ errors }) => errors.length === 0) ? 0 : EXIT.failure;
};

async function validate(profile: string, context: Context): Promise<Outcome> {
  try {
    const policy = policyOf(await resolveProfiles([profile], profilePlaces(context)));
    unresolvedCredentials(policy.credentials);
    return { profile, errors: [], warnings: withWildcardWarnings(policy, context).warnings };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return { profile, errors: [error, ...error.related], warnings: [] };
  }
}

function show({ profile, errors, warnings }: Outcome, context: Context): void {
  showWarnings(warnings, context);
  for (const error of errors) context.err(errorText(error, painter(context.colour.err)));
  if (errors.length === 0) context.out(`${painter(context.colour.out)('green', 'ok')}  ${profile}\n`);
}

function asJson({ profile, errors, warnings }: Outcome): object {
  const findings = errors.map(({ where, message, hint }) => ({ where, message, hint }));
  return { profile, ok: errors.length === 0, findings, warnings };
}
