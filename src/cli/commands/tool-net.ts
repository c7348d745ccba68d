import { type Bytes, showText } from '../../host/bytes.ts';
import { parseHost } from '../../policy/network/rules.ts';
import { MOST_OF } from '../../policy/profile/read-network.ts';
import { addHosts, cutOff, hostTexts, resetNet, setNetworkLimit, type ToolEdit } from '../../tools/edits.ts';
import { toolSetup } from '../../tools/setup.ts';
import { hasNetworkPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import type { Context } from '../context.ts';
import {
  hasFlag,
  JSON_FLAG,
  type ParsedArguments,
  parseArguments,
  textValue,
  unknownWord,
  usageError,
} from '../flags.ts';
import { configureAndShow } from './tool-configure.ts';
import { orNone, refuseWords } from './tool-env.ts';

const ACTIONS = ['list', 'allow', 'deny', 'off', 'connections', 'silence', 'reset'] as const;

export function configureNet(target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const edit = editOf(parsed);
  const setup = toolSetup(context.env);
  return configureAndShow({ setup, target, edit, show: (tool) => show(tool, parsed, context) }, context);
}

function editOf(parsed: ParsedArguments): ToolEdit | undefined {
  const [action = 'list', ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  switch (action) {
    case 'list':
      return refuseWords(action, words, undefined);
    case 'allow':
      return addHosts('allow', hostsOf('allow', words));
    case 'deny':
      return addHosts('deny', hostsOf('deny', words));
    case 'off':
      return refuseWords(action, words, cutOff);
    case 'connections':
      return setNetworkLimit('connections', numberOf(action, words, MOST_OF.connections));
    case 'silence':
      return setNetworkLimit('silence_seconds', numberOf(action, words, MOST_OF.silence_seconds));
    case 'reset':
      return refuseWords(action, words, resetNet);
    default:
      throw unknownWord('net', action, ACTIONS);
  }
}

/** As they are written, once they can be read. */
function hostsOf(action: 'allow' | 'deny', words: readonly Bytes[]): string[] {
  if (words.length === 0) throw usageError(`${action} needs at least one host`, `for example: net ${action} @npm`);
  return words.map((word) => {
    const text = textValue(word, `net ${action}`);
    const parsed = parseHost(text, `net ${action}`);
    if ('problem' in parsed) throw usageError(parsed.problem, parsed.hint);
    return text;
  });
}

function numberOf(action: string, [word, ...more]: readonly Bytes[], most: number): number {
  const number = word !== undefined && /^[1-9][0-9]{0,8}$/.test(word) ? Number(word) : undefined;
  if (number === undefined || number > most || more.length > 0)
    throw usageError(`${action} takes one whole number from 1 to ${most}`);
  return number;
}

function show(tool: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  const { block, allow, deny, connections, silenceSeconds } = tool.network;
  const said = {
    block: block?.value ?? false,
    allow: allow === undefined ? undefined : hostTexts(allow.rules),
    deny: hostTexts(deny),
    connections: connections?.value,
    silence_seconds: silenceSeconds?.value,
  };
  if (hasFlag(parsed, '--json')) {
    context.out(`${JSON.stringify({ tool: tool.name, ...said, policy: hasNetworkPolicy(tool) }, null, 2)}\n`);
    return;
  }
  const reached = said.allow === undefined ? 'all' : orNone(said.allow.map(showText));
  const lines = [
    `allow       : ${said.block ? 'none: the network is cut off' : reached}`,
    `deny        : ${orNone(said.deny.map(showText))}`,
    `connections : ${said.connections ?? 'as many as usual'}`,
    `silence     : ${said.silence_seconds === undefined ? 'as long as usual' : `${said.silence_seconds} s`}`,
  ];
  const none = hasNetworkPolicy(tool) ? [] : ['no net policy — tool reaches the network as it is'];
  context.out([`net policy for ${showText(tool.name)}:`, ...lines, ...none, ''].join('\n'));
}
