import { bytesOfText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { BrokerRule } from '../broker.ts';
import { type BrokerTexts, brokerRule } from '../broker-rule.ts';
import { credentialRule, SOURCE_FORMS } from '../credential.ts';
import { coverTokens } from '../load/frame.ts';
import { childOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { parseSshHost, type SshRule } from '../ssh.ts';
import type { CredentialEntry } from './layer.ts';
import { listed } from './read-environment.ts';
import { didYouMean } from './shape.ts';

const SCHEMES: readonly string[] = Object.keys(SOURCE_FORMS);

interface CredentialOptions {
  readonly problems: Problems;
  /** A command of someone else's file must not run here. */
  readonly mayRunCommands: boolean;
}

/** `SOURCE: TARGET`, or a list of `{target, source}` and `{target, command}`. */
export function readCredentials(node: Node | undefined, options: CredentialOptions): CredentialEntry[] {
  const state: State = { ...options, targets: new Set() };
  return node?.kind === 'map' ? readMap(node, state) : itemsOf(node).flatMap((item) => readItem(item, state));
}

interface State extends CredentialOptions {
  readonly targets: Set<string>;
}

function readMap(node: Extract<Node, { kind: 'map' }>, state: State): CredentialEntry[] {
  return node.entries.flatMap(({ key, keyPlace, value }) => {
    const target = textOf(value);
    if (target === undefined || !isSource(key, keyPlace, state.problems)) return [];
    return makeRule({ target: value, targetName: target, source: key, key }, state);
  });
}

function readItem(item: Node, state: State): CredentialEntry[] {
  const { problems, mayRunCommands } = state;
  const target = childOf(item, 'target');
  const targetName = textOf(target);
  const source = childOf(item, 'source');
  const command = childOf(item, 'command');
  if (target === undefined || targetName === undefined) return [];
  if ((source === undefined) === (command === undefined)) {
    problems.add(
      item.place,
      'a credential needs either a source or a command',
      'write {target, source} or {target, command: [...]}',
    );
    return [];
  }
  if (command !== undefined) {
    const words = readCommand(command, problems, mayRunCommands);
    return words === undefined
      ? []
      : makeRule({ target, targetName, source: words, broker: readBroker(item, state) }, state);
  }
  const reference = textOf(source);
  if (source === undefined || reference === undefined || !isSource(reference, source.place, problems)) return [];
  return makeRule({ target, targetName, source: reference, broker: readBroker(item, state) }, state);
}

const BROKER_KEYS = ['for', 'as', 'methods', 'paths'] as const;

/** With `for` the command holds a placeholder, and the value goes to these hosts from outside. */
function readBroker(item: Node, { problems }: State): BrokerRule | undefined {
  const nodes = Object.fromEntries(BROKER_KEYS.map((key) => [key, childOf(item, key)]));
  const hosts = nodes.for;
  if (hosts === undefined) {
    for (const key of BROKER_KEYS) {
      const node = nodes[key];
      if (node !== undefined)
        problems.add(
          node.place,
          `'${key}' says how a value goes to hosts, and none is named`,
          'add for: ["api.example.com"]',
        );
    }
    return undefined;
  }
  const listed = (node: Node | undefined): readonly Node[] =>
    node === undefined || node.kind === 'list' ? itemsOf(node) : [node];
  const texts = Object.fromEntries(
    BROKER_KEYS.map((key) => [key, listed(nodes[key]).map((one) => textOf(one) ?? '')]),
  ) as unknown as BrokerTexts;
  const rule = brokerRule(texts);
  if (!Array.isArray(rule)) return rule as BrokerRule;
  for (const { key, at, problem, hint } of rule) problems.add((listed(nodes[key])[at] ?? hosts).place, problem, hint);
  return undefined;
}

function readCommand(node: Node, problems: Problems, mayRunCommands: boolean): string[] | undefined {
  const words = itemsOf(node).map((word) => textOf(word) ?? '');
  if (!mayRunCommands) {
    problems.add(
      node.place,
      "commands work only in profiles of Cordon's own home",
      'move the profile there, or put the value into the vault',
    );
  } else if ((words[0] ?? '') === '')
    problems.add(node.place, 'the command is empty', "write its words: ['pass', 'show', 'openai']");
  else if (words.some((word) => word.includes('\0'))) problems.add(node.place, 'the command has a NUL in it');
  else return words;
  return undefined;
}

interface RuleText {
  readonly target: Node;
  readonly targetName: string;
  readonly source: string | readonly string[];
  readonly key?: string;
  readonly broker?: BrokerRule | undefined;
}

function makeRule(
  { target, targetName, source, key, broker }: RuleText,
  { problems, targets }: State,
): CredentialEntry[] {
  if (targets.has(targetName))
    problems.add(target.place, `two credentials have the target ${targetName}`, 'keep one of them');
  targets.add(targetName);
  if (!/^[A-Za-z_]\w*$/.test(targetName)) return refuseTarget(target, problems);
  try {
    const rule = credentialRule({
      target: bytesOfText(targetName),
      source,
      origin: problems.where(target.place),
      broker,
    });
    return [{ rule, key }];
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    problems.add(target.place, error.message, error.hint);
    return [];
  }
}

/** Whoever takes the form for NAME: VALUE has written a secret here. */
function refuseTarget(target: Node, problems: Problems): [] {
  problems.hide([target.place]);
  problems.add(
    target.place,
    'a target must be the name of a variable',
    'write SOURCE: TARGET; the value itself belongs into the vault: cordon creds set NAME',
  );
  return [];
}

function isSource(source: string, place: Node['place'], problems: Problems): boolean {
  const problem = sourceProblem(source);
  if (problem === undefined) return true;
  problems.hide([place]);
  problems.add(place, problem.message, problem.hint);
  return false;
}

function sourceProblem(source: string): { message: string; hint: string } | undefined {
  const scheme = /^([^:/]*):\/\//.exec(source)?.[1];
  if (scheme === 'cmd') return { message: 'a command is written as a list', hint: 'write {target, command: [...]}' };
  if (scheme !== undefined && !SCHEMES.includes(scheme)) {
    const hint = didYouMean(scheme, SCHEMES) ?? `known: ${SCHEMES.join(', ')}`;
    return { message: `there is no credential source '${scheme}://'`, hint };
  }
  if (scheme !== undefined || (/^\w[\w.@-]{0,127}$/.test(source) && coverTokens(source) === source)) return undefined;
  const hint = 'a bare name is the name of an entry of the vault: cordon creds set NAME asks for its value';
  return { message: 'this is not the name of a credential', hint };
}

/** A list of `{key, for}`: the shape of each is checked with the whole. */
export function readSshKeys(node: Node | undefined, problems: Problems): SshRule[] {
  const seen = new Set<string>();
  return itemsOf(node).flatMap((item) => {
    const [named, key] = [childOf(item, 'key'), textOf(childOf(item, 'key'))?.trim()];
    const hosts = listed(childOf(item, 'for'));
    if (named === undefined || key === undefined) return [];
    if (key === '' || /[\x00-\x1f\x7f]/.test(key))
      problems.add(
        named.place,
        'this is not the name of a key',
        'write what `ssh-add -l` shows, or a file such as id_ed25519',
      );
    if (seen.has(key)) problems.add(named.place, `the key ${key} stands here twice`, 'name all its hosts in one `for`');
    seen.add(key);
    if (hosts.length === 0 && childOf(item, 'for') !== undefined)
      problems.add(item.place, 'no host is named', 'name the hosts that it may log in to: for: ["github.com"]');
    const parsed = hosts.flatMap((host) => {
      const one = parseSshHost(textOf(host) ?? '');
      if ('value' in one) return [one.value];
      problems.add(host.place, one.problem, one.hint);
      return [];
    });
    return [{ key, hosts: parsed, origin: problems.where(named.place) }];
  });
}
