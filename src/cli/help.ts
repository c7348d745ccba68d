import { type Bytes, showBytes } from '../host/bytes.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Context } from './context.ts';
import { usageError } from './flags.ts';
import { nearest } from './nearest.ts';
import { painter } from './ui/colour.ts';

export function showHelp(name: Bytes | undefined, context: Context): number {
  const paint = painter(context.colour.out);
  if (name === undefined) {
    context.out(overview(paint));
    return 0;
  }
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command === undefined) {
    const near = nearest(
      name,
      COMMANDS.map((entry) => entry.name),
    );
    throw usageError(
      `no help for '${showBytes(name)}'`,
      near === undefined ? 'see cordon --help' : `did you mean cordon help ${near}?`,
    );
  }
  context.out(commandHelp(command, paint));
  return 0;
}

type Paint = ReturnType<typeof painter>;

function overview(paint: Paint): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'Cordon decides which environment variables and secrets reach a command, and starts it that way.',
    '',
    paint('bold', 'Try it'),
    '  cordon run -- env                 only what most programs need, behind the barrier',
    '  cordon explain                    every variable of yours, and why it does or does not arrive',
    '',
    paint('bold', 'Commands'),
    ...COMMANDS.map(({ name, summary }) => `  ${paint('cyan', name.padEnd(width))}  ${summary}`),
    '',
    'cordon help COMMAND tells more. Exit codes: the command’s own; 125 Cordon failed, 126 not runnable, 127 not found.',
    '',
  ].join('\n');
}

function commandHelp({ usage, summary, flags }: CommandEntry, paint: Paint): string {
  const left = flags.map(({ name, value }) => (value === undefined ? name : `${name} ${value}`));
  const width = Math.max(0, ...left.map((text) => text.length));
  return [
    ...usage.map((line) => `${paint('bold', 'Usage:')} ${line}`),
    '',
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    ...(flags.length === 0 ? [] : ['', paint('bold', 'Flags')]),
    ...flags.map(({ help }, i) => `  ${paint('cyan', (left[i] as string).padEnd(width))}  ${help}`),
    '',
  ].join('\n');
}
