import { type Bytes, showText } from '../../host/bytes.ts';
import { parseHost } from '../../policy/network/rules.ts';
import { MOST_OF } from '../../policy/profile/read-network.ts';
import { addHosts, cutOff, hostTexts, resetNet, setNetworkLimit } from '../../tools/edits.ts';
import { hasNetworkPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { textValue, usageError } from '../flags.ts';
import { type Actions, act, alone, type ConfigPart, orNone } from './tool-configure.ts';

const ACTIONS: Actions = {
  list: alone('list', undefined),
  allow: (words) => addHosts('allow', hostsOf('allow', words)),
  deny: (words) => addHosts('deny', hostsOf('deny', words)),
  off: alone('off', cutOff),
  connections: (words) => setNetworkLimit('connections', numberOf('connections', words, MOST_OF.connections)),
  silence: (words) => setNetworkLimit('silence_seconds', numberOf('silence', words, MOST_OF.silence_seconds)),
  reset: alone('reset', resetNet),
};

export const NET: ConfigPart = {
  editOf: (parsed) => act('net', parsed, ACTIONS, { more: [] }),
  asJson: (tool) => ({ tool: tool.name, ...saidBy(tool), policy: hasNetworkPolicy(tool) }),
  asText: netText,
};

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

function saidBy({ network: { block, allow, deny, connections, silenceSeconds } }: ToolPolicy) {
  return {
    block: block?.value ?? false,
    allow: allow === undefined ? undefined : hostTexts(allow.rules),
    deny: hostTexts(deny),
    connections: connections?.value,
    silence_seconds: silenceSeconds?.value,
  };
}

function netText(tool: ToolPolicy): string {
  const said = saidBy(tool);
  const reached = said.allow === undefined ? 'all' : orNone(said.allow.map(showText));
  const lines = [
    `allow       : ${said.block ? 'none: the network is cut off' : reached}`,
    `deny        : ${orNone(said.deny.map(showText))}`,
    `connections : ${said.connections ?? 'as many as usual'}`,
    `silence     : ${said.silence_seconds === undefined ? 'as long as usual' : `${said.silence_seconds} s`}`,
  ];
  const none = hasNetworkPolicy(tool) ? [] : ['no net policy — tool reaches the network as it is'];
  return [`net policy for ${showText(tool.name)}:`, ...lines, ...none, ''].join('\n');
}
