import { type Bytes, showBytes, textOfBytes } from '../../host/bytes.ts';
import { candidatesFor } from '../completion-words.ts';
import type { Context } from '../context.ts';
import { parseArguments, usageError } from '../flags.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const { words, rest } = parseArguments(args, { flags: [] });
  const [shell] = words;
  // Not for people: the scripts call it.
  if (shell === 'words' && rest !== undefined) return answer(rest, context);
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell)) {
    throw usageError(
      `completion is for bash, zsh or fish, not '${showBytes(shell ?? ('' as Bytes))}'`,
      'for example, in ~/.bashrc: source <(cordon completion bash)',
    );
  }
  context.out(SCRIPTS[shell] as string);
  return 0;
}

async function answer(line: readonly Bytes[], context: Context): Promise<number> {
  const words = line.map((word) => textOfBytes(word) ?? '');
  const found = (await candidatesFor(words, context)).filter(({ word }) => !/[\t\n]/.test(word));
  context.out(found.map(({ word, what }) => `${word}${what === undefined ? '' : `\t${what}`}\n`).join(''));
  return 0;
}

/**
 * Each script asks `cordon completion words` what could come next and lets the shell do what only it knows. Lines are a word, a tab and what it means;
 * `:file`, `:folder`, `:program` and `:command N` are requests. Nothing of an answer is ever evaluated.
 */
const SCRIPTS: Readonly<Record<string, string>> = { bash: bashScript(), zsh: zshScript(), fish: fishScript() };

/** Bash takes words apart at =, : and @, so what no space parts is put together again, and what it inserts is only the part behind. */
function bashScript(): string {
  return String.raw`_cordon() {
  local words=() starts=() rest=${'$'}{COMP_LINE#*"${'$'}{COMP_WORDS[0]}"} token word what i current inserted
  for ((i = 1; i <= COMP_CWORD; i++)); do
    token=${'$'}{COMP_WORDS[i]}
    if [[ ${'$'}{#words[@]} -gt 0 && $rest == [![:space:]]* ]]; then words[-1]+=$token; else words+=("$token"); starts+=("$i"); fi
    rest=${'$'}{rest#*"$token"}
  done
  current=${'$'}{words[-1]}
  [[ $current == --*=* ]] && current=${'$'}{current#*=}
  COMPREPLY=()
  while IFS=$'\t' read -r word what; do
    case $word in
      :file) compopt -o filenames; mapfile -t -O "${'$'}{#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
      :folder) compopt -o filenames; mapfile -t -O "${'$'}{#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
      :program) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
      :command*) _cordon_command "${'$'}{starts[${'$'}{word#:command }]}"; return ;;
      --*=*) COMPREPLY+=("$(printf %q "${'$'}{word#*=}")") ;;
      *) COMPREPLY+=("$(printf %q "$word")") ;;
    esac
  done < <(command cordon completion words -- "${'$'}{words[@]}" 2>/dev/null)
  [[ $token =~ ^[=:@]+$ ]] && inserted='' || inserted=$token
  COMPREPLY=("${'$'}{COMPREPLY[@]#"${'$'}{current%"$inserted"}"}")
}
_cordon_command() {
  if declare -F _command_offset >/dev/null; then _command_offset "$1"
  elif ((COMP_CWORD == $1)); then mapfile -t COMPREPLY < <(compgen -c -- "${'$'}{COMP_WORDS[COMP_CWORD]}")
  else compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "${'$'}{COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _cordon cordon
`;
}

/** Works from a folder of fpath, and with eval. */
function zshScript(): string {
  return String.raw`#compdef cordon
_cordon() {
  local word what
  local -a found shown
  while IFS=$'\t' read -r word what; do
    case $word in
      :file) _files -P "${'$'}{(M)PREFIX#--*=}" ;;
      :folder) _files -/ -P "${'$'}{(M)PREFIX#--*=}" ;;
      :program) _command_names -e ;;
      :command*) shift $(( ${'$'}{word#:command } + 1 )) words; (( CURRENT -= ${'$'}{word#:command } + 1 )); _normal; return ;;
      *) found+=("$word"); shown+=("$word${'$'}{what:+  -- $what}") ;;
    esac
  done < <(command cordon completion words -- "${'$'}{(@Q)words[2,CURRENT-1]}" "${'$'}{(Q)PREFIX}" 2>/dev/null)
  (( $#found )) && compadd -l -d shown -a found
}
if [[ $funcstack[1] == _cordon ]]; then _cordon "$@"; else compdef _cordon cordon; fi
`;
}

function fishScript(): string {
  return String.raw`function __cordon_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l flag (string match -r -- '^--[^=]*=' $current)
    set -l path (string replace -r -- '^--[^=]*=' '' $current)
    for line in (command cordon completion words -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':file'
                printf "$flag%s\n" (__fish_complete_path $path)
            case ':folder'
                printf "$flag%s\n" (__fish_complete_directories $path)
            case ':program'
                __fish_complete_command
            case ':command *'
                __fish_complete_subcommand --fcs-skip=(math (string replace ':command ' '' $line) + 1)
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c cordon -f -a '(__cordon_complete)'
`;
}
