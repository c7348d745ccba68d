import { type Bytes, showBytes } from '../../host/bytes.ts';
import { COMMANDS, type CommandEntry } from '../commands.ts';
import type { Context } from '../context.ts';
import { type FlagSpec, parseArguments, usageError } from '../flags.ts';

const WRITERS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function run(args: readonly Bytes[], context: Context): number {
  const [shell] = parseArguments(args, { flags: [] }).words;
  if (shell === undefined || !Object.hasOwn(WRITERS, shell)) {
    throw usageError(
      `completion is for bash, zsh or fish, not '${showBytes(shell ?? ('' as Bytes))}'`,
      'for example: cordon completion bash > ~/.local/share/bash-completion/completions/cordon',
    );
  }
  context.out(WRITERS[shell as string as keyof typeof WRITERS]());
  return 0;
}

const wordsOf = ({ flags, words = [] }: CommandEntry) => [...words, ...flags.map(({ name }) => name), '--help'];

/** Behind `--` the command's own completion goes on. */
function bashScript(): string {
  const cases = COMMANDS.map((command) => `    ${command.name}) words='${wordsOf(command).join(' ')}' ;;`).join('\n');
  const values = choiceCases()
    .map(([flag, choices]) => `    ${flag}) COMPREPLY=($(compgen -W '${choices}' -- "$current")); return ;;`)
    .join('\n');
  return `_cordon() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then _command_offset $((i + 1)) 2>/dev/null || COMPREPLY=($(compgen -c -- "$current")); return; fi
  done
  case $previous in
${values}
  esac
  case \${COMP_WORDS[1]} in
${cases}
    *) words='${COMMANDS.map(({ name }) => name).join(' ')} --help --version' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _cordon cordon
`;
}

function zshScript(): string {
  const commands = COMMANDS.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", "'\\''")}'`).join('\n');
  const cases = COMMANDS.map((command) => `    ${command.name}) compadd -- ${wordsOf(command).join(' ')} ;;`).join(
    '\n',
  );
  return `#compdef cordon
_cordon() {
  local -a commands
  commands=(
${commands}
  )
  if (( \${words[(I)--]} && \${words[(I)--]} < CURRENT )); then
    shift $(( \${words[(I)--]} )) words; (( CURRENT -= \${words[(I)--]} )); _normal; return
  fi
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${cases}
  esac
}
compdef _cordon cordon
`;
}

function fishScript(): string {
  const lines = COMMANDS.flatMap((command) => [
    `complete -c cordon -n __fish_use_subcommand -f -a ${command.name} -d '${command.summary.replaceAll("'", "\\'")}'`,
    ...command.flags.map((flag) => {
      const value = fishValue(flag);
      return `complete -c cordon -n '__fish_seen_subcommand_from ${command.name}' -l ${flag.name.slice(2)}${value} -d '${flag.help.replaceAll("'", "\\'")}'`;
    }),
    ...(command.words ?? []).map(
      (word) => `complete -c cordon -n '__fish_seen_subcommand_from ${command.name}' -f -a ${word}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

function choiceCases(): [string, string][] {
  const flags = COMMANDS.flatMap((command) => command.flags).filter(({ choices }) => choices !== undefined);
  return [...new Map(flags.map(({ name, choices = [] }) => [name, choices.join(' ')] as const))];
}

function fishValue({ choices, value }: FlagSpec): string {
  if (choices !== undefined) return ` -x -a '${choices.join(' ')}'`;
  return value === undefined ? '' : ' -r';
}
