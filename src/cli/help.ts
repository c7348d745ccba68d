import type { Bytes } from '../host/bytes.ts';
import { COMMANDS, type CommandEntry, commandNamed } from './commands.ts';
import type { Context } from './context.ts';
import { painter } from './ui/colour.ts';
import { type Definition, definitions, wrap } from './ui/definitions.ts';
import { flagGroups, sentence, usageOf } from './usage.ts';

export function showHelp(name: Bytes | undefined, context: Context): number {
  const view: View = { paint: painter(context.colour.out), width: context.columns };
  const lines =
    name === undefined ? overview(view) : commandHelp(commandNamed(name, 'no help for', 'cordon help'), view);
  context.out([...lines, ''].join('\n'));
  return 0;
}

interface View {
  readonly paint: ReturnType<typeof painter>;
  readonly width: number | undefined;
}

const TRIES: readonly Definition[] = [
  { term: 'cordon run -- env', text: 'only what most programs need, behind the barrier' },
  { term: 'cordon explain', text: 'every variable of yours, and why it does or does not arrive' },
  { term: 'cordon doctor', text: 'what this machine can protect, and how to get the rest' },
];

function overview(view: View): string[] {
  const text = (line: string) => wrap(line, view.width ?? 120);
  return [
    ...text('Cordon decides which variables, secrets, files and hosts a command gets, and starts it that way.'),
    ...section('Try it', TRIES, view),
    ...section(
      'Commands',
      COMMANDS.map(({ name, summary }) => ({ term: name, text: summary })),
      view,
    ),
    '',
    ...text('cordon help COMMAND and man cordon tell more, cordon --version which one this is.'),
    ...text('Exit codes: the command’s own; 125 Cordon failed, 126 not runnable, 127 not found.'),
  ];
}

function commandHelp(command: CommandEntry, view: View): string[] {
  return [
    sentence(command.summary),
    ...section('Usage', usageOf(command), view),
    ...flagGroups(command).flatMap(({ title, flags }) => section(title, flags, view)),
    ...section(
      command.examples.length === 1 ? 'Example' : 'Examples',
      command.examples.map((term) => ({ term, text: '' })),
      view,
    ),
    ...(command.page === undefined ? [] : ['', `More: docs/${command.page}`]),
  ];
}

function section(title: string, list: readonly Definition[], { paint, width }: View): string[] {
  if (list.length === 0) return [];
  const lines = definitions(list, { width, paintTerm: (term) => paint('cyan', term) });
  return ['', paint('bold', title), ...lines];
}
