import { showBytes, showText } from '../../host/bytes.ts';
import { showHost } from '../broker.ts';
import type { HostRule } from '../network/rules.ts';
import { PLACE_WORDS } from '../places.ts';
import type { CredentialRule, Policy } from '../policy.ts';
import { showSshHost } from '../ssh.ts';
import { baseOf, filesystemOf } from './finish.ts';
import type { Located } from './layer.ts';
import type { ResolvedProfile } from './resolve.ts';

/** One line of a resolved profile: its key as in the schema, what it says, where that is written. */
export interface ProfileLine {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}

const BY_DEFAULT = 'default';

/** Everything a profile comes to, bases included. */
export function profileLines(resolved: ResolvedProfile): ProfileLine[] {
  const { layer, where } = resolved;
  const base = baseOf(layer, where);
  return [
    { key: 'environment.base', value: base.preset, origin: base.origin },
    ...(layer.allow?.rules ?? []).map(({ pattern, origin }) =>
      line('environment.allow_vars', showBytes(pattern.source), origin),
    ),
    ...layer.deny.map((rule) => line('environment.deny_vars', denyText(rule), rule.origin)),
    ...layer.set.map(({ name, value, origin }) =>
      line('environment.set_vars', `${showBytes(name)}=${showBytes(value)}`, origin),
    ),
    ...layer.unset.map(({ value, origin }) => line('environment.unset_vars', showBytes(value), origin)),
    setting('environment.guard', layer.guard, 'off'),
    ...layer.guardExceptions.map(({ name, reason, origin }) =>
      line('environment.guard_exceptions', `${showBytes(name)}: ${showText(reason)}`, origin),
    ),
    ...layer.credentials.map(({ rule }) =>
      line('env_credentials', `${showBytes(rule.target)} from ${sourceText(rule)}${brokerText(rule)}`, rule.origin),
    ),
    ...layer.sshKeys.map(({ key, hosts, origin }) =>
      line('ssh_keys', `${showText(key)} for ${hosts.map(showSshHost).join(', ')}`, origin),
    ),
    ...filesystemLines(resolved),
    setting('network.block', layer.network.block, false),
    ...networkLines(layer.network),
    setting('isolation', layer.isolation, 'auto'),
    setting('redact', layer.redact, false),
  ];
}

function filesystemLines({ layer }: ResolvedProfile): ProfileLine[] {
  const paths = (key: string, list: readonly Located<string>[]) =>
    list.map(({ value, origin }) => line(`filesystem.${key}`, value, origin));
  return [
    line('filesystem.preset', filesystemOf(layer).preset, layer.filesystem?.origin ?? BY_DEFAULT),
    ...PLACE_WORDS.flatMap((word) => paths(word, layer.paths[word])),
    ...workspaceLines(layer.workspace),
  ];
}

function workspaceLines({ folder, mode }: ResolvedProfile['layer']['workspace']): ProfileLine[] {
  const lines: [string, Located<string> | undefined][] = [
    ['filesystem.workspace.folder', folder],
    ['filesystem.workspace.mode', mode],
  ];
  return lines.flatMap(([key, given]) => (given === undefined ? [] : [line(key, given.value, given.origin)]));
}

/** Where the value goes, where the child has only a placeholder. */
function brokerText({ broker }: Policy['credentials'][number]): string {
  return broker === undefined ? '' : `, brokered for ${broker.hosts.map(showHost).join(', ')}`;
}

function networkLines({ allow, deny, ...limits }: ResolvedProfile['layer']['network']): ProfileLine[] {
  const hosts = (key: string, rules: readonly HostRule[]) =>
    rules.map(({ text, set, origin }) => line(`network.${key}`, set === undefined ? text : `${text} (${set})`, origin));
  const limit = (key: string, given: Located<number> | undefined) =>
    given === undefined ? [] : [line(`network.${key}`, String(given.value), given.origin)];
  return [
    ...hosts('allow', allow?.rules ?? []),
    ...hosts('deny', deny),
    ...limit('connections', limits.connections),
    ...limit('silence_seconds', limits.silenceSeconds),
  ];
}

const line = (key: string, value: string, origin: string): ProfileLine => ({ key, value, origin });

function setting(key: string, given: Located<string | boolean> | undefined, otherwise: string | boolean): ProfileLine {
  return line(key, String(given?.value ?? otherwise), given?.origin ?? BY_DEFAULT);
}

function denyText({ pattern, except }: Policy['deny'][number]): string {
  const exceptions = except.map(({ source }) => showBytes(source)).join(', ');
  return exceptions === '' ? showBytes(pattern.source) : `${showBytes(pattern.source)} except ${exceptions}`;
}

function sourceText({ source }: CredentialRule): string {
  return typeof source === 'string' ? source : `the command ${source[0]}`;
}
