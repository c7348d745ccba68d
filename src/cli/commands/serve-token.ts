import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { TokenStore } from '../../mcp/http/tokens.ts';
import { checkUserName } from '../../secrets/sandboxed/user-name.ts';
import type { Context } from '../context.ts';
import { chosen, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';

const ACTIONS = { add, list, rm } as const;

export function tokenAction(parsed: ParsedArguments, tokens: TokenStore, context: Context): number {
  const [word, ...words] = parsed.words;
  const action = chosen('cordon serve token', word, ACTIONS);
  action({ ...parsed, words }, tokens, context);
  return 0;
}

/** The token on stdout, alone, so that it can be piped into where it is kept. */
function add(parsed: ParsedArguments, tokens: TokenStore, context: Context): void {
  const user = checkUserName(only(parsed, 'add', 'USER'));
  const { id, token } = tokens.add(user);
  context.out(`${token}\n`);
  context.err(`token ${id} of ${user}: it is shown this once, only a hash of it is kept\n`);
}

function list(parsed: ParsedArguments, tokens: TokenStore, context: Context): void {
  if (parsed.words.length > 0) throw usageError('serve token list takes no words');
  const found = tokens.list((problem) => context.err(`cordon: ${problem}\n`));
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(found, null, 2)}\n`);
  else if (found.length === 0) context.out('there are no tokens; make one with cordon serve token add USER\n');
  else context.out(listing(found, context));
}

function listing(found: ReturnType<TokenStore['list']>, context: Context): string {
  const paint = painter(context.colour.out);
  return table({
    columns: [{ title: 'ID' }, { title: 'USER', flexible: true }, { title: 'MADE' }],
    rows: found.map(({ id, user, created }) => [id, showText(user), showText(created).replace('T', ' ').slice(0, 19)]),
    width: context.columns,
    paintTitle: (cell) => paint('bold', cell),
  });
}

function rm(parsed: ParsedArguments, tokens: TokenStore, context: Context): void {
  const which = only(parsed, 'rm', 'ID|USER');
  const count = tokens.remove(which);
  if (count === 0)
    throw new CordonError('tokens', `no token has this id or user: ${which}`, { hint: 'see cordon serve token list' });
  context.err(`removed ${count === 1 ? 'one token' : `${count} tokens`}; a running server refuses it from now on\n`);
}

function only({ words: [word, ...more] }: ParsedArguments, action: string, what: string): string {
  if (word === undefined || more.length > 0) throw usageError(`serve token ${action} takes one ${what}`);
  return textValue(word, what);
}
