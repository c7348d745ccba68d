import type { Bytes } from '../../host/bytes.ts';
import { workingFolder } from '../../host/folders.ts';
import { keyLiteral, listLiteral } from '../../tools/config/literal.ts';
import { toolSetup } from '../../tools/setup.ts';
import { type Suggestion, suggest } from '../../tools/suggest.ts';
import { findTarget } from '../../tools/target.ts';
import { SUGGEST_FLAGS } from '../command-flags.ts';
import { type Context, print, showWarnings } from '../context.ts';
import { numberOf, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { progressBar } from '../ui/progress.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: SUGGEST_FLAGS, stopAtWord: true });
  const [word, ...rest] = parsed.rest ?? [];
  if (word === undefined)
    throw usageError('tool suggest needs a command', 'for example: cordon tool suggest -- ruff check .');
  const { name, path } = findTarget(word, context.env, toolSetup(context.env).bin);
  const bar = progressOf(context);
  const suggestion = await suggest(
    { env: context.env, argv: [path, ...rest], workdir: workingFolder() },
    {
      seed: wholeNumber(parsed, '--seed') ?? 1,
      totalMs: (wholeNumber(parsed, '--time') ?? 60) * 1000,
      onProgress: bar.show,
    },
  ).finally(bar.clear);
  print(parsed, context, { tool: name, env_base: 'none', ...suggestion }, () => asToml(name, suggestion));
  showWarnings(caveats(suggestion), context);
  return 0;
}

const wholeNumber = (parsed: ParsedArguments, flag: string) => numberOf(parsed, flag, /^\d{1,9}$/, 'a whole number');

/** Lines for cordon.toml. */
function asToml(name: string, { allow, offered, runs }: Suggestion): string {
  return [
    `# needs ${allow.length} of ${offered} variables (found in ${runs} runs)`,
    `[${keyLiteral(['tools', name])}]`,
    'env_base = "none"',
    ...(allow.length === 0 ? [] : [`env_allow = ${listLiteral(allow)}`]),
    '',
  ].join('\n');
}

function caveats({ complete, stderrIgnored, exitCode }: Suggestion): string[] {
  return [
    ...(complete
      ? []
      : ['time was up before nothing more could be left out: it may need less; give more with --time SECONDS']),
    ...(stderrIgnored ? ['standard error differs from run to run, so it was not compared'] : []),
    ...(exitCode === 0 ? [] : [`the command ends with ${exitCode}, so this is what it takes to fail in the same way`]),
  ];
}

/** It fills as variables turn out not to be needed. */
function progressOf(context: Context): { show: (runs: number, left: number) => void; clear: () => void } {
  const bar = progressBar(context);
  let most = 0;
  return {
    show: (runs, left) => {
      most = Math.max(most, left);
      bar.show(most - left, most, `${runs} runs, ${left} of ${most} variables left`);
    },
    clear: bar.clear,
  };
}
