import { DEPLOYMENTS, type Deployed, type Deployment, deploy } from '../../exchange/deploy.ts';
import { exportPolicy } from '../../exchange/export.ts';
import { refusedRows } from '../../exchange/fate.ts';
import { HOME, type Target, View, WORKDIR } from '../../exchange/to/view.ts';
import { EXIT } from '../../host/errors.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import { EXPORT_FLAGS } from '../command-flags.ts';
import type { CommandModule } from '../commands.ts';
import { jsonText } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { profilePlaces } from '../profiles.ts';
import { acceptHint, exchangeTable } from '../ui/exchange-table.ts';

/** A profile in another tool's words: the file on stdout, what became of what on stderr. */
export const run: CommandModule['run'] = async (args, context) => {
  const parsed = parseArguments(args, { flags: EXPORT_FLAGS });
  const [profile, ...more] = parsed.words.map((word) => textValue(word, 'PROFILE'));
  const target = flagValues(parsed, '--as').at(-1) as Target | Deployment | undefined;
  if (profile === undefined || more.length > 0 || target === undefined)
    throw usageError('export needs a format and one profile', 'cordon export --as FORMAT PROFILE');
  const deployed = deployedBy(target, parsed);
  const { home, ...places } = profilePlaces(context);
  const resolved = await resolveProfiles([profile], { ...places, home: HOME, runIn: WORKDIR, xdg: {} });
  const { text, rows } =
    deployed === undefined
      ? exportPolicy(target as Target, resolved.name, policyOf(resolved), home)
      : deploy(target as Deployment, new View(resolved.name, policyOf(resolved), home), deployed);
  const refused = refusedRows(
    rows,
    flagValues(parsed, '--accept').map((value) => textValue(value, '--accept')),
  );
  if (hasFlag(parsed, '--json')) {
    const shown = refused.length === 0 ? text : null;
    context.out(jsonText({ profile, as: target, rows, refused: refused.map(({ key }) => key), text: shown }));
  } else {
    context.err(exchangeTable(rows, context));
    if (refused.length === 0) context.out(text);
    else context.err(acceptHint(refused, 'nothing was exported', 'the profile'));
  }
  return refused.length === 0 ? 0 : EXIT.findings;
};

const isDeployment = (target: Target | Deployment) => (DEPLOYMENTS as readonly string[]).includes(target);

/** What is started elsewhere is one command in one image. */
function deployedBy(target: Target | Deployment, parsed: ParsedArguments): Deployed | undefined {
  const image = flagValues(parsed, '--image').map((value) => textValue(value, '--image'));
  const argv = (parsed.rest ?? []).map((word) => textValue(word, 'an argument'));
  if (!isDeployment(target)) {
    if (image.length > 0 || argv.length > 0)
      throw usageError(`--as ${target} takes neither --image nor a command`, 'pod, job and compose do');
    return undefined;
  }
  const [name, ...others] = image;
  if (name === undefined || others.length > 0 || argv.length === 0)
    throw usageError(
      `--as ${target} needs an image and a command`,
      `cordon export --as ${target} --image IMAGE PROFILE -- CMD ARG…`,
    );
  return { image: name, argv };
}
