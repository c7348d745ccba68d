import { bytesOfText, showText } from '../../host/bytes.ts';
import { coverTokens } from '../../policy/load/frame.ts';
import { describeNode, type Entry, type Node, type Place, textOf } from '../../policy/load/node.ts';
import type { Problems } from '../../policy/load/problems.ts';
import { nearest } from '../../policy/nearest.ts';
import { targetProblem } from '../../policy/presets/presets.ts';

const SANDBOXED = 'sandboxed_envs';
/** The key of the main process, which no sandbox gets. */
const MAIN_KEY = 'anthropic_api_key';
const KNOWN = [SANDBOXED, MAIN_KEY];

export interface SandboxedEntry {
  readonly name: string;
  readonly namePlace: Place;
  /** Plain, or a reference to where it is. */
  readonly text: string;
  readonly textPlace: Place;
}

interface SecretsContent {
  readonly entries: readonly SandboxedEntry[];
  readonly mainKey: string | undefined;
}

/** The content of a secrets.yaml. Every value in it is a secret: what is wrong is said by its key, and no value is ever shown. */
export function readSecrets(root: Node, problems: Problems): SecretsContent {
  const content: { entries: SandboxedEntry[]; mainKey: string | undefined } = { entries: [], mainKey: undefined };
  for (const { key, keyPlace, value } of entriesOf(root, problems, 'the file')) {
    problems.hide([value.place]);
    if (key === MAIN_KEY) content.mainKey = requireText(key, value, problems);
    else if (key === SANDBOXED) content.entries = sandboxedEntries(value, problems);
    else problems.add(keyPlace, `unknown key '${nameText(key)}'`, unknownHint(key));
  }
  return content;
}

function sandboxedEntries(value: Node, problems: Problems): SandboxedEntry[] {
  return entriesOf(value, problems, SANDBOXED).flatMap(({ key, keyPlace, value: content }) => {
    problems.hide([content.place]);
    const text = requireText(key, content, problems);
    return text === undefined ? [] : [{ name: key, namePlace: keyPlace, text, textPlace: content.place }];
  });
}

function entriesOf(node: Node, problems: Problems, what: string): readonly Entry[] {
  if (node.kind === 'map') return node.entries;
  problems.add(
    node.place,
    `${what} must hold names and values`,
    `write ${SANDBOXED}: and below it NAME: "value"; ${SANDBOXED}: {} means none`,
  );
  return [];
}

function requireText(name: string, value: Node, problems: Problems): string | undefined {
  const text = textOf(value);
  if (text === undefined)
    problems.add(value.place, `the value of ${nameText(name)} is ${kindOf(value)}, not text`, 'put it in quotes');
  return text;
}

/** `true` would be its value. */
const kindOf = (value: Node) =>
  value.kind === 'scalar' && typeof value.value === 'boolean' ? 'true or false' : describeNode(value);

const unknownHint = (key: string) => {
  const near = nearest(key, KNOWN);
  return near === undefined ? `known here: ${KNOWN.join(', ')}` : `did you mean ${near}?`;
};

/** A secret that slipped into the place of a name is covered. */
export const nameText = (name: string) => coverTokens(showText(name));

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why no sandbox can get a variable of this name; completes "NAME …". */
export function sandboxedNameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a variable';
  return targetProblem(bytesOfText(name))?.replace(/^it /, '');
}
