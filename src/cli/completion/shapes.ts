/**
 * What may stand where on a command line, one way a line: a word in small letters is itself, `a|b` one of these, one in capitals a kind of name
 * that `sources.ts` knows, `…` any number of them. Flags stand in the table of commands.
 */
export const SHAPES: readonly string[] = [
  'run COMMAND',
  'explain VARIABLE…',
  'explain FILE…',
  'agent list',
  'agent run|command AGENT',
  'agent env AGENT VARIABLE…',
  'creds set|list|test|rm|init',
  'creds import FILE',
  'creds take|give AGENT',
  'import FILE…',
  'export PROFILE',
  'changes list|show|diff|apply|drop',
  'changes show|diff|apply|drop LAUNCH',
  'changes show|diff|apply|drop LAUNCH CHANGED…',
  'changes show|diff|apply|drop CHANGED…',
  'trust list|FILE',
  'trust rm FILE',
  'profile list|schema|init',
  'profile show PROFILE',
  'profile validate PROFILE…',
  'profile diff PROFILE PROFILE',
  'tool add PROGRAM…',
  'tool list',
  'tool config TOOL env list|reset',
  'tool config TOOL env base TOOL_BASE',
  'tool config TOOL env allow|deny VARIABLE…',
  'tool config TOOL fs list|reset',
  'tool config TOOL fs base FS_PRESET',
  'tool config TOOL fs write|read|hide|expose FILE…',
  'tool config TOOL fs workspace WORKSPACE…',
  'tool config TOOL net list|off|reset',
  'tool config TOOL net allow|deny HOST_SET…',
  'tool suggest COMMAND',
  'tool apply FILE',
  'tool remove TOOL…',
  'tool path bash|zsh|fish',
  'net log|pending',
  'net allow|deny PENDING…',
  'trust rm',
  'net sets HOST_SET…',
  'check FILE…',
  'serve token add|rm|list',
  'completion bash|zsh|fish',
  'help TOPIC',
];

/** What can follow these words: literal words, and kinds of names. */
export function following(words: readonly string[]): string[] {
  const next = SHAPES.map((shape) => shape.split(' ')).flatMap((shape) => nextIn(shape, words));
  return [...new Set(next)];
}

function nextIn(shape: readonly string[], words: readonly string[]): string[] {
  const at = (i: number) => shape[Math.min(i, shape.length - 1)] as string;
  const repeats = shape.at(-1)?.endsWith('…') === true;
  if (words.length >= shape.length && !repeats) return [];
  if (!words.every((word, i) => fits(word, at(i)))) return [];
  return at(words.length).replace('…', '').split('|');
}

const fits = (word: string, place: string) => isKind(place) || place.split('|').includes(word);

export const isKind = (word: string) => /^[A-Z]/.test(word);
