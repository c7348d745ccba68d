import type { Bytes } from '../../host/bytes.ts';
import { HOST_SETS, hostsOfSet } from '../../policy/network/sets.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { nearest } from '../nearest.ts';

const ACTIONS = ['sets'];

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const [action, ...words] = parsed.words.map((word) => textValue(word, 'net'));
  if (action !== 'sets') throw unknown(action);
  return showSets(words, parsed, context);
}

function unknown(action: string | undefined): Error {
  const near = action === undefined ? undefined : nearest(action, ACTIONS);
  const known = `it takes ${ACTIONS.join(', ')}`;
  if (action === undefined) return usageError('net needs a word', known);
  return usageError(`net does not know '${action}'`, near === undefined ? known : `did you mean ${near}?`);
}

function showSets(words: readonly string[], parsed: ParsedArguments, context: Context): number {
  const wanted = words.length === 0 ? Object.keys(HOST_SETS) : words.map(setNamed);
  const sets = wanted.map((name) => {
    const { about, source } = HOST_SETS[name] as (typeof HOST_SETS)[string];
    return { set: `@${name}`, about, hosts: hostsOfSet(name) ?? [], source };
  });
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(sets, null, 2)}\n`);
  else
    context.out(
      sets.map(({ set, about, hosts, source }) => `${set}  ${about}\n  ${hosts.join(' ')}\n  ${source}\n`).join('\n'),
    );
  return 0;
}

function setNamed(word: string): string {
  const name = word.replace(/^@/, '');
  if (Object.hasOwn(HOST_SETS, name)) return name;
  const near = nearest(name, Object.keys(HOST_SETS));
  throw usageError(
    `there is no set '${word}'`,
    near === undefined ? '`cordon net sets` shows all' : `did you mean @${near}?`,
  );
}
