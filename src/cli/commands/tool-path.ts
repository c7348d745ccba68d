import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { shadowOfBin } from '../../tools/on-path.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { type Context, showWarnings } from '../context.ts';
import { hasFlag, JSON_FLAG, parseArguments, usageError } from '../flags.ts';

const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

const LINES = {
  bash: { file: '~/.bashrc', line: (bin: string) => `export PATH=${quoted(bin)}:"$PATH"` },
  zsh: { file: '~/.zshrc', line: (bin: string) => `export PATH=${quoted(bin)}:"$PATH"` },
  fish: {
    file: '~/.config/fish/config.fish',
    line: (bin: string) => `fish_add_path --path --prepend --move '${bin.replaceAll(/['\\]/g, '\\$&')}'`,
  },
} as const;

type Shell = keyof typeof LINES;

/** The line that puts the bin folder first, for the file that the shell reads last. */
export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const [shell] = parsed.words;
  if (shell !== undefined && !Object.hasOwn(LINES, shell))
    throw usageError(`tool path knows bash, zsh and fish, not '${showBytes(shell)}'`);
  const { bin } = toolSetup(context.env);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(asJson(bin), null, 2)}\n`);
  else if (shell !== undefined) context.out(`${LINES[shell as string as Shell].line(bin)}\n`);
  else for (const { file, line } of Object.values(LINES)) context.out(`# ${file}\n${showText(line(bin))}\n`);
  return 0;
}

function asJson(bin: string): object {
  return { bin, lines: Object.fromEntries(Object.entries(LINES).map(([shell, { line }]) => [shell, line(bin)])) };
}

export function warnUnlessFirstOnPath({ env, bin }: ToolSetup, context: Context): void {
  const problem = shadowOfBin(env, bin);
  if (problem !== undefined) showWarnings([`${problem}; cordon tool path prints the line that fixes it`], context);
}
