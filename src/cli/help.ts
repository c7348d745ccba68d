import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { HERE } from '../host/folders.ts';
import { COMMANDS, type CommandEntry, commandNamed } from './commands.ts';
import type { Context } from './context.ts';
import type { FlagSpec } from './flags.ts';
import { POLICY_FLAGS } from './run-flags.ts';
import { painter } from './ui/colour.ts';
import { type Definition, definitions, wrap } from './ui/definitions.ts';

export function showHelp(name: Bytes | undefined, context: Context): number {
  const view: View = { paint: painter(context.colour.out), width: context.columns ?? columnsSaid(context) };
  const lines =
    name === undefined
      ? overview(view)
      : commandHelp(commandNamed(name, 'no help for', { instead: 'cordon help' }), view);
  context.out([...lines, ''].join('\n'));
  return 0;
}

/** What is piped is mostly read by people too. */
const columnsSaid = ({ env }: Context) =>
  Number(/^[1-9]\d{1,3}$/.exec(env.get(bytesOfText('COLUMNS')) ?? '')?.[0] ?? 80);

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
    ...(command.page === undefined ? [] : ['', `More: ${pageAt(command.page)}`]),
  ];
}

/** Where the pages were installed too. */
function pageAt(page: string): string {
  const path = join(HERE, '../docs', page);
  return existsSync(path.replace(/#.*/, '')) ? path : 'man cordon';
}

function section(title: string, list: readonly Definition[], { paint, width }: View): string[] {
  if (list.length === 0) return [];
  const lines = definitions(list, { width, paintTerm: (term) => paint('cyan', term) });
  return ['', paint('bold', title), ...lines];
}

/** In a usage line two spaces part the form from what it does. */
export function usageOf({ usage }: Pick<CommandEntry, 'usage'>): Definition[] {
  return usage.map((line) => {
    const [term = '', text = ''] = line.split(/ {2,}/);
    return { term, text };
  });
}

export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly Definition[];
}

/** What `[POLICY]` in a usage line stands for is a group of its own. */
export function flagGroups({ flags }: Pick<CommandEntry, 'flags'>): FlagGroup[] {
  const ofPolicy = POLICY_FLAGS.filter((flag) => flags.includes(flag));
  const own = flags.filter((flag) => !ofPolicy.includes(flag)).map(definitionOf);
  return [
    { title: 'Flags', flags: [...own, { term: '--help', text: 'show this' }] },
    ...(ofPolicy.length === 0 ? [] : [{ title: 'POLICY is any of', flags: ofPolicy.map(definitionOf) }]),
  ];
}

function definitionOf({ name, value, help }: FlagSpec): Definition {
  return { term: value === undefined ? name : `${name} ${value}`, text: help };
}

export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
