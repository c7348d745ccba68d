import { join, resolve } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { Pods } from '../../launch/pods/pods.ts';
import { endWhenTold } from '../../mcp/end-when-told.ts';
import { announce } from '../../mcp/http/announce.ts';
import { HttpService, type ServiceOptions } from '../../mcp/http/service.ts';
import { MOST_SHARDS, parsePeers, parseShard, type Shards } from '../../mcp/http/shards.ts';
import { TokenStore } from '../../mcp/http/tokens.ts';
import { checkTokens, checkWorkspaces, makeWorkspace } from '../../mcp/http/workspaces.ts';
import { checkUserName } from '../../secrets/sandboxed/user-name.ts';
import {
  checkShared,
  type Log,
  openSession,
  openSessionInPod,
  type Session,
  type Skill,
} from '../../sessions/index.ts';
import { SERVE_FLAGS } from '../command-flags.ts';
import { type Context, print } from '../context.ts';
import { chosen, flagValues, hasFlag, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { table } from '../ui/table.ts';
import { version } from '../version.ts';
import { logOf, optional, required, sessionOptions } from './mcp.ts';

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: SERVE_FLAGS });
  const tokens = tokensFor(parsed, context);
  const [word, ...words] = parsed.words;
  if (word === 'token') return tokenAction({ ...parsed, words }, tokens, context);
  if (word !== undefined || parsed.rest !== undefined) throw usageError('serve takes flags, or the word token');
  return serve(parsed, tokens, context);
}

async function serve(parsed: ParsedArguments, tokens: TokenStore, context: Context): Promise<number> {
  const log = logOf(parsed, context);
  refuseTogether(parsed);
  const options = serviceOptions(parsed, tokens);
  const skills = await checkShared(sessionOptions(parsed, context, log));
  const place = hasFlag(parsed, '--pods') ? await inPods(parsed, context, log) : onShelf(parsed, context, skills);
  warnOfNoTokens(tokens, context);
  try {
    await listen(new HttpService({ ...options, open: place.open, log }), context, log);
  } finally {
    await place.close();
  }
  return 0;
}

async function listen(service: HttpService, context: Context, log: Log): Promise<void> {
  // Whoever reads that it listens may tell it to end at once.
  const told = new Promise<void>((resolve) => endWhenTold(resolve));
  const address = await service.start();
  log('info', `serve: listening on ${address}/mcp`);
  const withdraw = announce(context.folders.state, address);
  await told;
  withdraw();
  log('info', 'serve: shutting down');
  await service.stop();
}

function refuseTogether(parsed: ParsedArguments): void {
  const hasPods = hasFlag(parsed, '--pods');
  const other = ['--workspaces', '--make-workspaces', '--in'].find((name) => hasPods && hasFlag(parsed, name));
  if (other !== undefined) throw usageError(`--pods and ${other} do not go together`);
  if (!hasPods && hasFlag(parsed, '--warm-pods')) throw usageError('--warm-pods needs --pods');
}

/** Where the calls of users run. */
interface ServedPlace {
  readonly open: (user: string) => Promise<Session>;
  readonly close: () => Promise<void>;
}

/** On this machine, with a folder for each user. */
function onShelf(parsed: ParsedArguments, context: Context, skills: readonly Skill[]): ServedPlace {
  const workspaces = required(parsed, '--workspaces');
  checkWorkspaces(workspaces, skills);
  checkTokens(workspaces, optional(parsed, '--tokens'));
  const common = sessionOptions(parsed, context, logOf(parsed, context));
  return {
    // The name was checked when the token was made, and is checked again by the session.
    open: async (user) => {
      if (hasFlag(parsed, '--make-workspaces')) makeWorkspace(workspaces, user);
      return openSession({ ...common, user, workspace: join(workspaces, user) });
    },
    close: async () => undefined,
  };
}

/** In a pod for each user: nothing of theirs is on this machine. */
async function inPods(parsed: ParsedArguments, context: Context, log: Log): Promise<ServedPlace> {
  const { openPods } = await import('../../launch/pods/open.ts');
  const pods: Pods = await openPods(context.env, {
    file: required(parsed, '--pods'),
    warm: numberOf(parsed, '--warm-pods', 2, 1000, 0),
    idleMs: idleMs(parsed),
    log: (line) => log('info', line),
  });
  const common = sessionOptions(parsed, context, log);
  return { open: (user) => openSessionInPod({ ...common, user }, pods), close: () => pods.stop() };
}

const seconds = (parsed: ParsedArguments, name: string, otherwise: number) =>
  numberOf(parsed, name, otherwise, 86_400 * 7) * 1000;
const idleMs = (parsed: ParsedArguments) => seconds(parsed, '--idle', 1800);

function serviceOptions(parsed: ParsedArguments, tokens: TokenStore): Omit<ServiceOptions, 'log' | 'open'> {
  const texts = (name: string) => flagValues(parsed, name).map((value) => textValue(value, name).toLowerCase());
  const shards = shardsOf(parsed);
  // Servers that share the users call each other by these names.
  const own = (shards?.peers ?? []).map(({ host }) => host.toLowerCase());
  return {
    ...listenAt(parsed),
    shards,
    admitted: { hosts: [...texts('--allow-host'), ...own], origins: texts('--allow-origin') },
    tokens,
    limits: {
      sessions: numberOf(parsed, '--max-sessions', 8),
      calls: numberOf(parsed, '--max-calls', 8),
      requestsPerMinute: numberOf(parsed, '--max-rate', 600),
    },
    idleMs: idleMs(parsed),
    drainMs: seconds(parsed, '--drain', 30),
    maxRequestBytes: numberOf(parsed, '--max-request', 4 << 20, 1 << 30),
    version: version(),
  };
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Out in the network a token could be read on its way, and any name could lead here: whoever wants that says which names. */
function listenAt(parsed: ParsedArguments): { host: string; port: number } {
  const given = optional(parsed, '--listen') ?? '127.0.0.1:8730';
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(given) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535) throw usageError(`--listen takes ADDRESS:PORT, not '${given}'`);
  if (!LOOPBACK.test(host) && flagValues(parsed, '--allow-host').length === 0)
    throw usageError(
      `--listen ${given} is reachable from other machines`,
      'say by which name it is called with --allow-host, and put a proxy with TLS in front of it',
    );
  return { host, port };
}

function shardsOf(parsed: ParsedArguments): Shards | undefined {
  const [given, peers] = [optional(parsed, '--shard'), flagValues(parsed, '--peers')];
  if (given === undefined && peers.length > 0) throw usageError('--peers needs --shard, which says who this server is');
  if (given === undefined) return undefined;
  const shard = parseShard(given);
  if (shard === undefined)
    throw usageError(
      `--shard takes I/N with I from 0 to N-1, or host/N, and at most ${MOST_SHARDS} servers, not '${given}'`,
      'host is the number at the end of the name of this machine, as in cordon-2',
    );
  if (peers.length === 0) return shard;
  const texts = peers.flatMap((text) => textValue(text, '--peers').split(','));
  const urls = parsePeers(texts, shard.count);
  if (urls !== undefined) return { ...shard, peers: urls };
  throw usageError(
    `--peers takes ${shard.count} addresses as http://HOST:PORT, with commas between them`,
    'or one with {} in the place of the number',
  );
}

function tokensFor(parsed: ParsedArguments, context: Context): TokenStore {
  const given = optional(parsed, '--tokens');
  return given === undefined ? TokenStore.ofHome(configFolder(context)) : new TokenStore(resolve(given), 'shared');
}

function numberOf(parsed: ParsedArguments, name: string, otherwise: number, most = 1_000_000, least = 1): number {
  const value = optional(parsed, name);
  if (value === undefined) return otherwise;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : -1;
  if (number < least || number > most) throw usageError(`${name} takes a whole number from ${least} to ${most}`);
  return number;
}

function warnOfNoTokens(tokens: TokenStore, { err }: Context): void {
  const problems: string[] = [];
  const count = tokens.list((problem) => problems.push(problem)).length;
  for (const problem of problems) err(`cordon: ${problem}\n`);
  if (count === 0) err('cordon: nobody has a token yet; make one with cordon serve token add USER\n');
}

function configFolder({ folders }: Context): string {
  if (folders.config !== undefined) return folders.config;
  throw new CordonError('serve', 'no home folder is known, so there are no tokens', {
    hint: 'set CORDON_HOME or HOME',
  });
}

const ACTIONS = { add, list, rm } as const;

function tokenAction(parsed: ParsedArguments, tokens: TokenStore, context: Context): number {
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
  print(parsed, context, found, () =>
    found.length === 0
      ? 'there are no tokens; make one with cordon serve token add USER\n'
      : tokenTable(found, context),
  );
}

function tokenTable(found: ReturnType<TokenStore['list']>, context: Context): string {
  const rows = found.map(({ id, user, created }) => [
    ...[id, showText(user), showText(created).replace('T', ' ').slice(0, 19)],
  ]);
  return table({ titles: ['ID', 'USER', 'MADE'], fold: ['USER'], rows }, context);
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
