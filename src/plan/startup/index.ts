import { type Decision, decider } from '../../decide/decide.ts';
import { type Bytes, showBytes } from '../../host/bytes.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { Policy } from '../../policy/policy.ts';
import { type Fault, faultsIn, isSecret, literalOf, withoutHarmless } from './faults.ts';
import { type StartupPlaces, type StartupReading, startupFiles } from './places.ts';
import type { Unit } from './units.ts';

export interface StartupPolicy {
  readonly passes: (name: Bytes, value: Bytes) => boolean;
  /** Whether a value of the parent that is dropped and looks like a credential stands in a text. */
  readonly holdsDropped: (text: string) => boolean;
}

/** What a start-up file loses, and where; never a value. */
export interface StartupNote {
  readonly path: string;
  /** As the user knows it, `~/.bashrc`. */
  readonly file: string;
  readonly line: number;
  /** The variable; empty where there is none to tell. */
  readonly name: Bytes;
  readonly saying: string;
  readonly hidden: boolean;
}

/** What stands in the place of a start-up file; an empty text when the whole file is left out. */
export interface StartupFile {
  readonly path: string;
  readonly text: Bytes;
  readonly notes: readonly StartupNote[];
}

export interface Examined {
  readonly files: readonly StartupFile[];
  /** All that were looked at: which values of the parent stand in them decides too. */
  readonly read: readonly string[];
}

/** No shorter value is worth looking for in a text. */
const SHORTEST_SECRET = 8;

/** The policy as it is asked about start-up files. Where the filter is all there is, nothing can stand in for a file. */
export function startupPolicy(policy: Policy, env: ParentEnv, decided: readonly Decision[]): StartupPolicy | undefined {
  if (policy.isolation === 'filter') return undefined;
  const decide = decider(policy);
  const known = decided.map(({ name, verdict }) => ({ name, verdict, value: env.peek(name) ?? '' }));
  const passed = new Set(known.filter(({ verdict }) => verdict === 'pass').map(({ value }) => value));
  const dropped = known.filter(({ value }) => value.length >= SHORTEST_SECRET && !passed.has(value));
  return {
    passes: (name, value) => decide(name, value).verdict === 'pass',
    holdsDropped: (text) => dropped.some(({ name, value }) => text.includes(value) && isSecret(name, value)),
  };
}

/**
 * Shells inside read the very files where people export their keys. Of each file that would bring back what the policy drops there
 * is a copy with those lines blank or, where such a line is part of something larger, an empty one.
 */
export function examineStartup(places: StartupPlaces, policy: StartupPolicy): Examined {
  const all = new Map(startupFiles(places).map((reading) => [reading, faultsOf(reading, policy)]));
  addTraces(all);
  const files = [...all].flatMap(([reading, faults]) => standInFor(reading, faults, policy));
  return { files, read: [...all.keys()].map(({ path }) => path) };
}

type Faults = Map<Unit, Fault[]>;

function faultsOf({ units = [], kind }: StartupReading, { passes, holdsDropped }: StartupPolicy): Faults {
  const found = units.map((unit): [Unit, Fault[]] => {
    const faults = faultsIn(unit.text, unit.comment ? 'comment' : kind, passes);
    return [unit, holdsDropped(unit.text) ? [...faults, { what: 'holds', name: '' }] : faults];
  });
  return new Map(found.filter(([, faults]) => faults.length > 0));
}

/** A name that is exported anywhere can get its value in more ways than a list could hold, and a value may stand twice. */
function addTraces(all: ReadonlyMap<StartupReading, Faults>): void {
  const faults = [...all.values()].flatMap((found) => [...found.values()].flat());
  const exported = faults.filter(({ what, instead }) => instead === undefined && /^(?:sets|exports)$/.test(what));
  const names = [...new Set(exported.map(({ name }) => name))].join('|') || '(?!)';
  const given = new RegExp(String.raw`(?<![\w$/.-]|\$\{)(?:${names})(?![\w/.-])|\$\{(?:${names}):?=`);
  const secrets = faults
    .flatMap(({ name, value = '' }) => (isSecret(name, value) ? literalOf(value).split(/[\s()`$]+/) : []))
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  for (const [{ units = [] }, found] of all)
    for (const unit of units.filter((one) => !found.has(one))) {
      const name = unit.comment ? undefined : given.exec(withoutHarmless(unit.text))?.[0].replace(/\W/g, '');
      if (name !== undefined) found.set(unit, [{ what: 'sets', name }]);
      else if (secrets.some((secret) => unit.text.includes(secret))) found.set(unit, [{ what: 'holds', name: '' }]);
    }
}

function standInFor(reading: StartupReading, faults: Faults, policy: StartupPolicy): StartupFile[] {
  const { path, shown, units, sure } = reading;
  const note = (line: number, { name }: Fault, saying: string, hidden = false): StartupNote => ({
    path,
    file: showBytes(shown as Bytes),
    line,
    name: name as Bytes,
    saying,
    hidden,
  });
  const empty = (line: number, fault: Fault, saying: string): StartupFile[] => [
    { path, text: '' as Bytes, notes: [note(line, fault, `${saying}: the whole file is left out`, true)] },
  ];
  const credential: Fault = { what: 'holds', name: '' };
  if (units === undefined) return empty(1, credential, 'is not a text of up to 1 MiB');
  for (const [unit, found] of faults)
    for (const fault of found) {
      if (fault.what === 'runs') return empty(unit.line, fault, sayingOf(fault));
      if (fault.instead === undefined && !(sure && (unit.alone || unit.comment)))
        return empty(unit.line, fault, `${sayingOf(fault)} in a construct of several lines`);
    }
  const notes = [...faults].flatMap(([unit, found]) =>
    found.map((fault) =>
      note(unit.line, fault, `${sayingOf(fault)}: ${fault.instead ? 'not exported in' : 'left out of'} the copy`),
    ),
  );
  const text = units.map((unit) => copied(unit, faults.get(unit))).join('') as Bytes;
  if (policy.holdsDropped(text)) return empty(1, credential, sayingOf(credential));
  return notes.length === 0 ? [] : [{ path, text, notes }];
}

/** What is left out leaves its empty lines, so that the others keep their numbers. Comments go too: one may hold an old key. */
function copied({ text, comment }: Unit, faults: readonly Fault[] | undefined): string {
  if (faults === undefined && !comment) return text;
  return (faults?.[0]?.instead ?? '') + text.replace(/[^\n]+/g, '');
}

function sayingOf({ what, name }: Fault): string {
  if (what === 'runs') return 'exports names that only a run can tell';
  return what === 'takes' ? 'takes in a file whose name only a run can tell' : `${what} ${name || 'a credential'}`;
}
