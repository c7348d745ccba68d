import { existsSync, readdirSync } from 'node:fs';
import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError, EXIT } from '../host/errors.ts';
import { targetText } from '../policy/container-target.ts';
import { readBinEntry } from './bin-entry.ts';
import { type ConfigOutcome, changeTools } from './change.ts';
import { TomlEditor } from './config/edit.ts';
import { type Config, parseConfig, readConfig, refuseBroken } from './config/read.ts';
import { becomes, edited, type ToolEdit } from './edits.ts';
import type { ToolSetup } from './setup.ts';
import { checkName, findTarget, isRunnableTarget, nameOf, type ToolTarget } from './target.ts';
import { hasPolicy, type ToolPolicy, withoutPolicy } from './tool-policy.ts';

/** Looks the commands up anew, so that it also fixes a tool that moved. */
export function addTools(setup: ToolSetup, words: readonly Bytes[]): Added[] {
  const { tools } = readConfig(setup.config);
  const wanted = words.map((word) => lookUp(setup, word, tools));
  const missing = wanted.flatMap((one) => (one instanceof CordonError ? [one] : []));
  const [first] = missing;
  if (first !== undefined) throw words.length === 1 ? first : noneAdded(missing);
  const found = wanted as readonly Omit<Added, 'hasPolicy'>[];
  const { config } = changeTools(setup, (before) => ({
    text: found.reduce((text, { name }) => edited({ ...before, text }, name, UNCHANGED), before.text),
    pins: new Map(found.map(({ name, pin }) => [name, pin])),
    remove: [],
  }));
  return found.map((one) => ({ ...one, hasPolicy: hasPolicy(config.tools.get(one.name) ?? withoutPolicy(one.name)) }));
}

export interface Added extends ToolTarget {
  /** Of this machine; what runs in a container is at none. */
  readonly pin: Bytes | undefined;
  /** Whether anything is restricted. */
  readonly hasPolicy: boolean;
}

function lookUp(setup: ToolSetup, word: Bytes, tools: Config['tools']): Omit<Added, 'hasPolicy'> | CordonError {
  try {
    const inside = word.includes('/') ? undefined : tools.get(nameOf(word));
    if (inside?.in !== undefined)
      return { name: inside.name, path: bytesOfText(targetText(inside.in)), pin: undefined };
    const target = findTarget(word, setup.env, setup.bin);
    return { ...target, pin: target.path };
  } catch (error) {
    if (error instanceof CordonError) return error;
    throw error;
  }
}

/** All of them or none. */
const noneAdded = ([first, ...related]: readonly CordonError[]) =>
  new CordonError(first?.kind ?? 'not-found', `${first?.message}; nothing was added`, {
    where: first?.where,
    hint: first?.hint,
    exitCode: first?.exitCode,
    related,
  });

const UNCHANGED: ToolEdit = () => undefined;

/** What runs in a container need not be installed here: what counts is where it runs after the change. */
export function configureTool(
  setup: ToolSetup,
  word: Bytes,
  edit: ToolEdit,
): { target: Pick<ToolTarget, 'name'>; outcome: ConfigOutcome } {
  const target = isInsideAfter(setup, word, edit) ? { name: nameOf(word), path: undefined } : knownTarget(setup, word);
  return { target, outcome: changeTool(setup, target, edit) };
}

function isInsideAfter(setup: ToolSetup, word: Bytes, edit: ToolEdit): boolean {
  const name = nameOf(word);
  checkName(name);
  const before = readConfig(setup.config);
  const after = parseConfig(before.name, edited(before, name, edit));
  const problem = after.broken.get(name);
  if (problem !== undefined) throw problem;
  const inside = after.tools.get(name)?.in !== undefined;
  if (inside && word.includes('/'))
    throw new CordonError('usage', `in a container '${name}' is found by its name, not by a path of this machine`, {
      hint: `cordon tool config ${name} …`,
    });
  return inside;
}

interface Wanted {
  readonly name: string;
  readonly path: Bytes | undefined;
}

function changeTool(setup: ToolSetup, { name, path }: Wanted, edit: ToolEdit): ConfigOutcome {
  return changeTools(setup, (config) => ({
    text: edited(config, name, edit),
    pins: new Map([[name, path]]),
    remove: [],
  }));
}

/** A tool that was added stays where it was pinned; any other installed command becomes one by being named. */
function knownTarget(setup: ToolSetup, word: Bytes): ToolTarget {
  const name = nameOf(word);
  checkName(name);
  const entry = word.includes('/') ? undefined : readBinEntry(setup.bin, name);
  const pinned = entry?.kind === 'link' || entry?.kind === 'shim' ? entry.path : undefined;
  return pinned !== undefined && isRunnableTarget(pinned)
    ? { name, path: pinned }
    : findTarget(word, setup.env, setup.bin);
}

/** What the file says about a tool; of an installed command that it doesn't name, that there is no policy. */
export function toolNamed(setup: ToolSetup, word: Bytes): ToolPolicy {
  const { tools, broken } = readConfig(setup.config);
  const problem = broken.get(nameOf(word));
  if (problem !== undefined) throw problem;
  return tools.get(nameOf(word)) ?? withoutPolicy(knownTarget(setup, word).name);
}

/** All of them or none: a name that is none of a tool changes nothing. */
export function removeTools(setup: ToolSetup, names: readonly string[]): ConfigOutcome {
  for (const name of names) checkName(name);
  return changeTools(setup, (config) => {
    const unknown = names.filter((name) => !isTool(setup, config, name));
    if (unknown.length > 0) throw notTools(unknown, names, config);
    const editor = new TomlEditor(config.text, config.name);
    for (const name of names) editor.remove(['tools', name]);
    return { text: editor.text, pins: new Map(), remove: names };
  });
}

function isTool({ bin }: ToolSetup, { tools, broken }: Config, name: string): boolean {
  const { kind } = readBinEntry(bin, name);
  return tools.has(name) || broken.has(name) || (kind !== 'absent' && kind !== 'foreign');
}

function notTools(unknown: readonly string[], names: readonly string[], { tools }: Config): CordonError {
  const known = [...tools.keys()].join(', ');
  const which = unknown.map((name) => `'${name}'`).join(', ');
  const what = unknown.length === 1 ? 'is not one of the tools' : 'are not tools';
  const kept = names.length > unknown.length ? '; nothing was removed' : '';
  return new CordonError('not-found', `${which} ${what}${kept}`, {
    hint: known === '' ? 'there are none yet; see cordon tool add' : `these are: ${known}`,
    exitCode: EXIT.notFound,
  });
}

/** Replays a file: each tool it names gets exactly the policy it says there. Without a file, what cordon.toml says is put in force. */
export function applyFile(setup: ToolSetup, file: string | undefined): ConfigOutcome {
  if (file !== undefined && !existsSync(file))
    throw new CordonError('not-found', 'the file does not exist', { where: file, hint: 'check the path' });
  const source = file === undefined ? undefined : readConfig(file);
  if (source !== undefined) refuseBroken(source);
  return changeTools(setup, (config) => {
    const tools = (source ?? config).tools;
    return {
      text: source === undefined ? config.text : replayed(config, source),
      pins: resolveAll(setup, [...tools.values()]),
      remove: source === undefined ? strayEntries(setup, config) : [],
    };
  });
}

/** On a new machine the file is taken as it is, comments and all, unless it has sections that are none of a tool's business. */
function replayed(config: Config, source: Config): string {
  if (config.text === '' && source.otherSections.length === 0) return source.text;
  return [...source.tools.values()].reduce(
    (text, tool) => edited({ ...config, text }, tool.name, becomes(config.tools.get(tool.name), tool)),
    config.text,
  );
}

/** All that are missing are named at once. */
function resolveAll(setup: ToolSetup, tools: readonly ToolPolicy[]): Map<string, Bytes | undefined> {
  const problems: CordonError[] = [];
  const pins = new Map<string, Bytes | undefined>();
  for (const { name, in: container } of tools) {
    try {
      pins.set(name, container === undefined ? knownTarget(setup, bytesOfText(name)).path : undefined);
    } catch (error) {
      if (!(error instanceof CordonError)) throw error;
      problems.push(error);
    }
  }
  const [first, ...related] = problems;
  if (first === undefined) return pins;
  throw new CordonError(first.kind, `${first.message}; nothing was changed`, {
    hint: first.hint,
    exitCode: first.exitCode,
    related,
  });
}

/** Links and shims in the bin folder that no section speaks of any more. */
function strayEntries({ bin }: ToolSetup, { tools, broken }: Config): string[] {
  return readdirSync(bin).filter((name) => !name.startsWith('.') && !tools.has(name) && !broken.has(name));
}
