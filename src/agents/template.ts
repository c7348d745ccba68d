import { type Bytes, bytesOfText, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type AgentCommand, type CommandRequest, LONGEST_ARGUMENT } from './adapter.ts';

export const PLACEHOLDERS = ['prompt', 'model', 'workdir'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** The words of a command line; a list inside is left out when it has a placeholder without a value. */
export type Template = readonly (string | readonly string[])[];

const PLACEHOLDER = /\{(prompt|model|workdir)\}/g;

/** Things in braces that look like a placeholder and are none. */
export function unknownPlaceholders(word: string): string[] {
  const found = [...word.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name as string);
  return found.filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
}

export function fillTemplate(words: Template, request: CommandRequest, where: string): AgentCommand {
  const filled = words.flatMap((word) =>
    typeof word === 'string' ? [fillWord(word, request, where)] : fillGroup(word, request, where),
  );
  const inArguments = words.flat().some((word) => word.includes('{prompt}'));
  if (inArguments) refuseDash(words, request, where);
  const args = filled.map((word) => refuseLong(word, where));
  return inArguments ? { args } : { args, stdin: request.prompt };
}

function fillGroup(words: readonly string[], request: CommandRequest, where: string): string[] {
  const complete = words.every((word) => placeholdersIn(word).every((name) => request[name] !== undefined));
  return complete ? words.map((word) => fillWord(word, request, where)) : [];
}

const placeholdersIn = (word: string) => [...word.matchAll(PLACEHOLDER)].map(([, name]) => name as Placeholder);

function fillWord(word: string, request: CommandRequest, where: string): Bytes {
  return bytesOfText(word).replace(PLACEHOLDER, (_, name: Placeholder) => {
    const value = request[name];
    if (value !== undefined) return value;
    throw new CordonError('agent', `the command of this agent needs a ${name}`, {
      where,
      hint: `give --${name}, or write the words that hold {${name}} as a list of their own`,
    });
  }) as Bytes;
}

function refuseDash(words: Template, { prompt }: CommandRequest, where: string): void {
  const flat = words.flat();
  const at = flat.indexOf('{prompt}');
  if (at === -1 || !prompt.startsWith('-') || flat.slice(0, at).includes('--')) return;
  throw new CordonError('agent', 'a prompt that begins with - could be taken for a flag', {
    where,
    hint: 'put "--" before {prompt} in its command, write --prompt={prompt}, or leave {prompt} out: it goes over stdin then',
  });
}

function refuseLong(word: string, where: string): string {
  if (word.length <= LONGEST_ARGUMENT) return word;
  throw new CordonError(
    'agent',
    `an argument of ${word.length} bytes is more than the kernel takes (${LONGEST_ARGUMENT})`,
    {
      where,
      hint: 'leave {prompt} out of its command: the prompt goes over stdin then, however long it is',
    },
  );
}

/** As it could be typed into a shell. */
export function shellWords(words: readonly Bytes[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: Bytes): string {
  const text = showText(Buffer.from(word, 'latin1').toString('utf8'));
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
