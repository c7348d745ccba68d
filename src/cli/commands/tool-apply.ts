import { type Bytes, showText } from '../../host/bytes.ts';
import type { ConfigOutcome } from '../../tools/change.ts';
import { brokenWarnings } from '../../tools/config/read.ts';
import { applyFile } from '../../tools/operations.ts';
import { toolSetup } from '../../tools/setup.ts';
import { toolWarnings } from '../../tools/tool-policy.ts';
import { type Context, showWarnings } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments, textValue, usageError } from '../flags.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection } from './tool-report.ts';

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const [file, ...more] = [...parsed.words, ...(parsed.rest ?? [])];
  if (more.length > 0) throw usageError('tool apply takes one file');
  const setup = toolSetup(context.env);
  const outcome = applyFile(setup, file === undefined ? undefined : textValue(file, 'the path of a policy file'));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(asJson(outcome, setup.config), null, 2)}\n`);
  else context.out(asText(outcome, setup.config));
  const warnings = [...outcome.config.tools.values()].flatMap(toolWarnings);
  showWarnings([...brokenWarnings(outcome.config), ...warnings, ...outcome.notes], context);
  if (outcome.config.tools.size > 0) {
    warnAboutProtection(setup, context);
    warnUnlessFirstOnPath(setup, context);
  }
  return 0;
}

function asJson({ configChanged, steps }: ConfigOutcome, config: string): object {
  return { changed: configChanged || steps.length > 0, config: configChanged ? config : null, steps };
}

function asText({ configChanged, steps }: ConfigOutcome, config: string): string {
  if (!configChanged && steps.length === 0) return 'nothing to change\n';
  const lines = steps.map(({ tool, what, path }) => `${showText(tool)}: ${what} (${showText(path)})`);
  return [...(configChanged ? [`${showText(config)}: written`] : []), ...lines, ''].join('\n');
}
