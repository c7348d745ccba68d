import { childOf, type Entry, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import type { Problems } from '../../policy/load/problems.ts';
import { nearest } from '../../policy/nearest.ts';
import { readNetwork } from '../../policy/profile/read-network.ts';
import type { Adapter, Format } from '../adapter.ts';
import { BUILT_IN_ADAPTERS } from '../registry.ts';
import { fillTemplate, PLACEHOLDERS, type Template, unknownPlaceholders } from '../template.ts';
import { entriesOf, readAllowList, readCredentials, readKeys } from './entries.ts';
import type { Additions } from './tables.ts';

export interface AgentTables {
  readonly adapters: readonly Adapter[];
  readonly additions: ReadonlyMap<string, Additions>;
}

/** `[agents."*"]` is for all of them, those that are described in the same file too. */
const ALL_AGENTS = '*';

/** `[agents.NAME]` describes an agent, or adds to one that is built in. */
export function readAgents(node: Node | undefined, problems: Problems): AgentTables {
  const own: Adapter[] = [];
  const additions = new Map<string, Additions>();
  const changed = new Map<string, Adapter>();
  const forAll = entriesOf(node).find(({ key }) => key === ALL_AGENTS);
  for (const entry of entriesOf(node)) {
    if (entry === forAll) continue;
    const builtIn = BUILT_IN_ADAPTERS.find(({ name }) => name === entry.key);
    const adapter = builtIn === undefined ? describedAdapter(entry, problems) : withTable(builtIn, entry, problems);
    if (builtIn === undefined) own.push(adapter);
    else changed.set(adapter.name, adapter);
    additions.set(adapter.name, readAdditions(entry.value, adapter, problems));
  }
  const adapters = [...BUILT_IN_ADAPTERS.map((one) => changed.get(one.name) ?? one), ...own];
  return forAll === undefined ? { adapters, additions } : withDefaults({ adapters, additions }, forAll, problems);
}

/** What an agent's own table says about a key's source counts before what is said for all. */
function withDefaults({ adapters, additions }: AgentTables, { value }: Entry, problems: Problems): AgentTables {
  for (const key of ['command', 'output', 'install', 'model']) {
    const node = childOf(value, key);
    if (node !== undefined)
      problems.add(node.place, `the ${key} cannot be the same for all agents`, 'write it under the name of an agent');
  }
  const everyKey = adapters.flatMap(({ extraKeys }) => extraKeys);
  const shared = readAdditions(value, { extraKeys: everyKey }, problems);
  const files = readFiles(value, problems);
  return {
    adapters: adapters.map((one) => ({ ...one, files: [...one.files, ...files] })),
    additions: new Map(
      adapters.map(({ name }) => {
        const own = additions.get(name);
        return [
          name,
          {
            keys: [...shared.keys, ...(own?.keys ?? [])],
            allow: [...shared.allow, ...(own?.allow ?? [])],
            credentials: [...shared.credentials, ...(own?.credentials ?? [])],
          },
        ];
      }),
    ),
  };
}

function readAdditions(table: Node, { extraKeys }: Pick<Adapter, 'extraKeys'>, problems: Problems): Additions {
  const keys = readKeys(childOf(table, 'extra_keys'), problems);
  const known = [...extraKeys, ...keys.map(({ name }) => name)];
  return {
    keys,
    network: readNetwork(childOf(table, 'network'), problems),
    allow: readAllowList(childOf(table, 'allow'), problems),
    credentials: readCredentials(childOf(table, 'credentials'), known, problems),
  };
}

/** Everything but the command line of an agent that is built in can be added to. */
function withTable(adapter: Adapter, { value }: Entry, problems: Problems): Adapter {
  for (const key of ['command', 'output', 'install']) {
    const node = childOf(value, key);
    if (node !== undefined)
      problems.add(
        node.place,
        `the ${key} of the built-in agent '${adapter.name}' is fixed`,
        'describe an agent under a name of its own',
      );
  }
  const model = textOf(childOf(value, 'model'));
  return {
    ...adapter,
    files: [...adapter.files, ...readFiles(value, problems)],
    ...(model === undefined ? {} : { model }),
  };
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

function describedAdapter({ key: name, keyPlace, value }: Entry, problems: Problems): Adapter {
  if (!NAME.test(name))
    problems.add(keyPlace, `'${name}' is not the name of an agent`, 'it has small letters, digits, - and _');
  const origin = problems.where(keyPlace);
  const [program, ...rest] = readCommand({ name, keyPlace, table: value }, problems);
  const model = textOf(childOf(value, 'model'));
  return {
    name,
    origin,
    program: typeof program === 'string' ? program : '',
    install: textOf(childOf(value, 'install')) ?? `install ${String(program)} and put it on PATH`,
    extraKeys: [],
    addresses: [],
    settings: [],
    files: readFiles(value, problems),
    shown: [],
    written: [],
    format: (textOf(childOf(value, 'output')) ?? 'text') as Format,
    ...(model === undefined ? {} : { model }),
    command: (request) => fillTemplate(rest, request, origin),
  };
}

interface Described {
  readonly name: string;
  readonly keyPlace: Entry['keyPlace'];
  readonly table: Node;
}

function readCommand({ name, keyPlace, table }: Described, problems: Problems): Template {
  const node = childOf(table, 'command');
  const words = itemsOf(node).map((word) => (word.kind === 'list' ? word.items.map(textIn) : textIn(word)));
  const [program] = words;
  if (node === undefined) {
    const near = nearest(
      name,
      BUILT_IN_ADAPTERS.map((one) => one.name),
    );
    problems.add(
      keyPlace,
      `the agent '${name}' has no command`,
      near === undefined ? 'write command = ["program", "{prompt}"]' : `did you mean ${near}?`,
    );
  } else if (typeof program !== 'string' || program === '' || program.includes('{'))
    problems.add(node.place, 'a command begins with the name of its program');
  for (const item of itemsOf(node).flatMap((word) => (word.kind === 'list' ? word.items : [word])))
    checkWord(item, problems);
  return words;
}

const textIn = (node: Node) => textOf(node) ?? '';

function checkWord(node: Node, problems: Problems): void {
  const word = textIn(node);
  if (word.includes('\0')) problems.add(node.place, 'a word of a command cannot hold a NUL');
  for (const name of unknownPlaceholders(word)) {
    const near = nearest(name, PLACEHOLDERS);
    const known = PLACEHOLDERS.map((one) => `{${one}}`).join(', ');
    problems.add(
      node.place,
      `there is no placeholder {${name}}`,
      near === undefined ? `known: ${known}` : `did you mean {${near}}?`,
    );
  }
}

function readFiles(table: Node, problems: Problems): string[] {
  return itemsOf(childOf(table, 'files')).map((item) => {
    const path = textIn(item);
    if (!/^(\/|~\/)/.test(path)) problems.add(item.place, 'expected an absolute path or one that begins with ~/');
    return path;
  });
}
