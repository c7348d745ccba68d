import { wordsIn } from '../../host/bytes.ts';
export interface ShellWord {
  readonly text: string;
  /** Where it stands in the script. */
  readonly index: number;
}

export type ShellCommand = readonly ShellWord[];

const TOKEN =
  /\\\r?\n|#[^\n]*|\n|&&|\|\||[;&|(){}`]|\$\(|(?:\$\{\{[\s\S]{0,2000}?\}\}|\$\{[^}]{0,500}\}|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[^\s;&|(){}`"'\\])+|["'\\]/g;
const SEPARATOR = /^(?:\n|&&|\|\||[;&|(){}`]|\$\()$/;

/** The simple commands of a script, nested ones too: enough to see which programs run with which words, no more. */
export function commandsOf(script: string): ShellCommand[] {
  return simpleCommands(script, 0, MOST_NESTED);
}

const MOST_NESTED = 3;

function simpleCommands(script: string, from: number, nested: number): ShellCommand[] {
  const commands: ShellWord[][] = [[]];
  const inside: ShellCommand[] = [];
  for (const match of script.matchAll(TOKEN)) {
    const [text] = match;
    if (SEPARATOR.test(text)) commands.push([]);
    else if (!/^\\\r?\n$/.test(text) && !isComment(text, script, match.index)) {
      commands.at(-1)?.push({ text: unquoted(text), index: from + match.index });
      if (nested > 0) inside.push(...commandsInQuotes(text, from + match.index, nested - 1));
    }
  }
  return [...commands.filter((words) => words.length > 0), ...inside];
}

/** `"… $(command) …"`: what stands before the first of them is text. */
function commandsInQuotes(text: string, index: number, nested: number): ShellCommand[] {
  const start = text.includes('"') ? text.search(/\$\(|`/) : -1;
  return start === -1 ? [] : simpleCommands(text.slice(start).replace(/"$/, ''), index + start, nested);
}

const isComment = (text: string, script: string, index: number) =>
  text.startsWith('#') && (index === 0 || /\s/.test(script[index - 1] ?? ''));

const unquoted = (text: string) =>
  text.replace(/\\[\s\S]|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'/g, (all, a, b) => a ?? b ?? all);

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const WRAPPERS = new Set(wordsIn('sudo env exec time nice nohup command xvfb-run stdbuf then do else if while !'));
const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pnpx']);
const RUNNER_PAIRS = new Set(['pnpm dlx', 'yarn dlx', 'pipx run', 'npm exec', 'bun x', 'uv run', 'poetry run']);

/** The program that does the work, behind assignments, `sudo`, `timeout 60` and `npx --yes`; the rest are its arguments. */
export function programOf(command: ShellCommand): ShellCommand {
  const [first, second] = command;
  if (first === undefined) return [];
  if (ASSIGNMENT.test(first.text) || WRAPPERS.has(first.text)) return programOf(withoutFlags(command.slice(1)));
  if (first.text === 'timeout') return programOf(withoutFlags(command.slice(1)).slice(1));
  if (RUNNERS.has(first.text)) return programOf(withoutFlags(command.slice(1)));
  if (RUNNER_PAIRS.has(`${first.text} ${second?.text}`)) return programOf(withoutFlags(command.slice(2)));
  return command;
}

function withoutFlags(command: ShellCommand): ShellCommand {
  const start = command.findIndex(({ text }) => !text.startsWith('-'));
  return start === -1 ? [] : command.slice(start);
}

/** `claude` of `/usr/local/bin/claude`, `@openai/codex` of `@openai/codex@latest`. */
export function programName([first]: ShellCommand): string {
  const text = (first?.text ?? '').replace(/(?<=.)@[^@/]*$/, '');
  return text.startsWith('@') ? text : (text.split('/').at(-1) ?? '');
}
