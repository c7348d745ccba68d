import { type Bytes, showText } from '../../host/bytes.ts';
import { workingFolder } from '../../host/folders.ts';
import { keyLiteral, listLiteral } from '../../tools/config/literal.ts';
import { toolSetup } from '../../tools/setup.ts';
import { type Suggestion, suggest } from '../../tools/suggest/suggest.ts';
import { findTarget } from '../../tools/target.ts';
import { SUGGEST_FLAGS } from '../command-flags.ts';
import { type Context, showWarnings } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: SUGGEST_FLAGS, stopAtWord: true });
  const [word, ...rest] = parsed.rest ?? [];
  if (word === undefined)
    throw usageError('tool suggest needs a command', 'for example: cordon tool suggest -- ruff check .');
  const { name, path } = findTarget(word, context.env, toolSetup(context.env).bin);
  const bar = progressBar(context);
  const suggestion = await suggest(
    { env: context.env, argv: [path, ...rest], workdir: workingFolder() },
    { seed: numberOf(parsed, '--seed', 1), totalMs: numberOf(parsed, '--time', 60) * 1000, onProgress: bar.show },
  ).finally(bar.clear);
  context.out(
    hasFlag(parsed, '--json')
      ? `${JSON.stringify({ tool: name, env_base: 'none', ...suggestion }, null, 2)}\n`
      : asToml(name, suggestion),
  );
  showWarnings(caveats(suggestion), context);
  return 0;
}

function numberOf(parsed: ParsedArguments, flag: string, otherwise: number): number {
  const given = flagValues(parsed, flag).at(-1);
  if (given === undefined) return otherwise;
  const text = textValue(given, flag);
  if (!/^\d{1,9}$/.test(text)) throw usageError(`${flag} needs a whole number, not '${showText(text)}'`);
  return Number(text);
}

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

const WIDTH = 24;

/** Only on a terminal. It fills as variables turn out not to be needed. */
function progressBar(context: Context): { show: (runs: number, left: number) => void; clear: () => void } {
  if (!process.stderr.isTTY) return { show: () => undefined, clear: () => undefined };
  let most = 0;
  return {
    show: (runs, left) => {
      most = Math.max(most, left);
      const filled = most === 0 ? WIDTH : Math.round(((most - left) / most) * WIDTH);
      context.err(
        `\r\x1b[K[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${runs} runs, ${left} of ${most} variables left`,
      );
    },
    clear: () => context.err('\r\x1b[K'),
  };
}
