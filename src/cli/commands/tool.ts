import { writeFileSync } from 'node:fs';
import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import type { ConfigOutcome } from '../../tools/change.ts';
import { brokenWarnings } from '../../tools/config/read.ts';
import { addTools, applyFile, removeTools } from '../../tools/operations.ts';
import { rebuildShim, shimOf } from '../../tools/rebuild.ts';
import { toolSetup } from '../../tools/setup.ts';
import { toolWarnings } from '../../tools/tool-policy.ts';
import type { CommandModule } from '../commands.ts';
import { type Context, print, showWarnings } from '../context.ts';
import { chosen, hasFlag, JSON_FLAG, parseArguments, textValue, usageError } from '../flags.ts';
import { warnAboutProtection, warnUnlessFirstOnPath } from './tool-warnings.ts';

const ACTIONS: Readonly<Record<string, CommandModule['run']>> = {
  add,
  list: async (...all) => (await import('./tool-list.ts')).run(...all),
  config: async (...all) => (await import('./tool-config.ts')).run(...all),
  apply,
  remove,
  path,
  suggest: async (...all) => (await import('./tool-suggest.ts')).run(...all),
  // Shims call it when they are out of date.
  rebuild,
  // Shims of tools in containers are this.
  start: async (...all) => (await import('./tool-start.ts')).run(...all),
};

const NOT_FOR_PEOPLE = ['rebuild', 'start'];

export async function run([action, ...args]: readonly Bytes[], context: Context): Promise<number> {
  return chosen('cordon tool', action, ACTIONS, NOT_FOR_PEOPLE)(args, context);
}

function add(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const words = [...parsed.words, ...(parsed.rest ?? [])];
  if (words.length === 0) throw usageError('tool add needs a command', 'for example: cordon tool add ruff');
  const setup = toolSetup(context.env);
  const added = addTools(setup, words);
  const shown = added.map(({ name, path }) => ({ tool: name, path: showBytes(path) }));
  print(parsed, context, shown, () => shown.map(({ tool, path }) => `${showText(tool)} → ${path}\n`).join(''));
  const free = added.filter(({ hasPolicy }) => !hasPolicy).map(({ name }) => showText(name));
  if (free.length > 0 && !hasFlag(parsed, '--json'))
    context.err(
      `cordon: nothing is restricted yet: ${free.join(', ')} ${free.length === 1 ? 'runs' : 'run'} as before\n  hint: cordon tool config ${free[0]} says what it may see and do\n`,
    );
  warnUnlessFirstOnPath(setup, context);
  return 0;
}

function apply(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const [file, ...more] = [...parsed.words, ...(parsed.rest ?? [])];
  if (more.length > 0) throw usageError('tool apply takes one file');
  const setup = toolSetup(context.env);
  const outcome = applyFile(setup, file === undefined ? undefined : textValue(file, 'the path of a policy file'));
  print(parsed, context, applyAsJson(outcome, setup.config), () => applyAsText(outcome, setup.config));
  const warnings = [...outcome.config.tools.values()].flatMap(toolWarnings);
  showWarnings([...brokenWarnings(outcome.config), ...warnings, ...outcome.notes], context);
  if (outcome.config.tools.size > 0) {
    warnAboutProtection(setup, context);
    warnUnlessFirstOnPath(setup, context);
  }
  return 0;
}

function applyAsJson({ configChanged, steps }: ConfigOutcome, config: string): object {
  return { changed: configChanged || steps.length > 0, config: configChanged ? config : null, steps };
}

function applyAsText({ configChanged, steps }: ConfigOutcome, config: string): string {
  if (!configChanged && steps.length === 0) return 'nothing to change\n';
  const lines = steps.map(({ tool, what, path }) => `${showText(tool)}: ${what} (${showText(path)})`);
  return [...(configChanged ? [`${showText(config)}: written`] : []), ...lines, ''].join('\n');
}

function remove(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const names = [...parsed.words, ...(parsed.rest ?? [])].map((word) => textValue(word, 'the name of a tool'));
  if (names.length === 0) throw usageError('tool remove needs the name of a tool', 'cordon tool list shows them');
  const setup = toolSetup(context.env);
  removeTools(setup, [...new Set(names)]);
  return print(parsed, context, { removed: names }, () =>
    names.map((name) => `${showText(name)} is no longer one of the tools; it runs as it did before\n`).join(''),
  );
}

function rebuild(args: readonly Bytes[], context: Context): number {
  const [name, config, bin, state, only] = args.map((word) => textValue(word, 'a path'));
  if (name === undefined || config === undefined || bin === undefined || state === undefined)
    throw usageError('tool rebuild is called by shims', 'to put policies in force: cordon tool apply');
  const setup = toolSetup(context.env, { config, bin, state });
  // Bytes, since paths need not be text.
  if (only === '-') writeFileSync(1, shimOf(setup, name) ?? '');
  else rebuildShim(setup, name);
  return 0;
}

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
function path(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const [shell] = parsed.words;
  if (shell !== undefined && !Object.hasOwn(LINES, shell))
    throw usageError(`tool path knows bash, zsh and fish, not '${showBytes(shell)}'`);
  const { bin } = toolSetup(context.env);
  return print(parsed, context, pathAsJson(bin), () =>
    shell === undefined
      ? Object.values(LINES)
          .map(({ file, line }) => `# ${file}\n${showText(line(bin))}\n`)
          .join('')
      : `${LINES[shell as string as Shell].line(bin)}\n`,
  );
}

function pathAsJson(bin: string): object {
  return { bin, lines: Object.fromEntries(Object.entries(LINES).map(([shell, { line }]) => [shell, line(bin)])) };
}
