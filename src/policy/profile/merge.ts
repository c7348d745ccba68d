import { type AllowList, type CredentialEntry, EMPTY_LAYER, type Layer, type Located } from './layer.ts';
import { mergeNetworks } from './read-network.ts';
import { mergeSessions } from './read-session.ts';

/**
 * Bases first, in order. Lists append without repeating themselves; what is set or injected goes by key, and the later layer wins. Grouping
 * does not matter: a chain can be merged from any side.
 */
export function mergeLayers(layers: readonly Layer[]): Layer {
  return layers.reduce(mergeTwo, EMPTY_LAYER);
}

function mergeTwo(below: Layer, over: Layer): Layer {
  const under = withoutUnset(below, over);
  return {
    base: over.base ?? under.base,
    allow: mergeAllow(under.allow, over.allow),
    deny: uniqueBy([...under.deny, ...over.deny], ({ pattern, except }) =>
      [pattern.source, ...except.map(({ source }) => source).toSorted()].join('\0'),
    ),
    set: lastBy([...under.set, ...over.set], ({ name }) => name),
    unset: uniqueBy([...under.unset, ...over.unset], ({ value }) => value),
    credentials: lastBy([...under.credentials, ...over.credentials], keyOf),
    sshKeys: lastBy([...under.sshKeys, ...over.sshKeys], ({ key }) => key),
    guard: over.guard ?? under.guard,
    guardExceptions: lastBy([...under.guardExceptions, ...over.guardExceptions], ({ name }) => name),
    filesystem: over.filesystem?.value === undefined ? (under.filesystem ?? over.filesystem) : over.filesystem,
    paths: {
      write: mergePaths(under.paths.write, over.paths.write),
      read: mergePaths(under.paths.read, over.paths.read),
      hide: mergePaths(under.paths.hide, over.paths.hide),
      expose: mergePaths(under.paths.expose, over.paths.expose),
    },
    allowsPaths: under.allowsPaths || over.allowsPaths,
    workspace: {
      folder: over.workspace.folder ?? under.workspace.folder,
      mode: over.workspace.mode ?? under.workspace.mode,
    },
    network: mergeNetworks(under.network, over.network),
    isolation: over.isolation ?? under.isolation,
    redact: over.redact ?? under.redact,
    session: mergeSessions(under.session, over.session),
    warnings: uniqueBy([...under.warnings, ...over.warnings], (warning) => warning),
  };
}

/** What a layer unsets is neither set nor injected by those it builds on. One that comes later may set it again. */
function withoutUnset(under: Layer, over: Layer): Layer {
  const gone = new Set(over.unset.map(({ value }) => value));
  return {
    ...under,
    set: under.set.filter(({ name }) => !gone.has(name)),
    credentials: under.credentials.map((entry) => (gone.has(entry.rule.target) ? { ...entry, isUnset: true } : entry)),
  };
}

/** A layer without a list adds nothing; the list stays one as soon as any layer has one. */
function mergeAllow(under: AllowList | undefined, over: AllowList | undefined): AllowList | undefined {
  if (under === undefined || over === undefined) return over ?? under;
  return { origin: over.origin, rules: uniqueBy([...under.rules, ...over.rules], ({ pattern }) => pattern.source) };
}

function mergePaths(under: readonly Located<string>[], over: readonly Located<string>[]): Located<string>[] {
  return uniqueBy([...under, ...over], ({ value }) => value);
}

/** The key is what is written as one: the source in the `SOURCE: TARGET` form, else the target. */
const keyOf = ({ rule, key }: CredentialEntry) => (key === undefined ? `target ${rule.target}` : `source ${key}`);

/** What is left once all layers are merged: no target is injected twice, of different keys for one target the later wins. */
export function withUniqueTargets(layer: Layer): Layer {
  const injected = layer.credentials.filter(({ isUnset }) => isUnset !== true);
  return { ...layer, credentials: lastBy(injected, ({ rule }) => rule.target) };
}

function uniqueBy<Item>(items: readonly Item[], keyFor: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size !== seen.add(keyFor(item)).size);
}

/** Each at the place of its last mention, so that what comes later stays later. */
function lastBy<Item>(items: readonly Item[], keyFor: (item: Item) => string): Item[] {
  return uniqueBy(items.toReversed(), keyFor).toReversed();
}
