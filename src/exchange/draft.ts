import { inspect } from '../decide/guard/index.ts';
import { bytesOfText, showText } from '../host/bytes.ts';
import { brokerRule } from '../policy/broker-rule.ts';
import { coverTokens } from '../policy/load/frame.ts';
import { HOST_EXPECTED, parseHost } from '../policy/network/rules.ts';
import { Pattern } from '../policy/pattern.ts';
import { expandPath, expandValue } from '../policy/places.ts';
import { nameProblem, targetProblem } from '../policy/presets/presets.ts';
import { ALLOW_PATTERN } from '../policy/profile/schema.ts';
import { Secret } from '../secrets/secret.ts';
import type { Fate, Row } from './fate.ts';
import { type Json, textsAt } from './json.ts';

export type DenyEntry = string | { pattern: string; except?: string[]; ignore_case?: boolean };
export type AllowGlob = string | { pattern: string; ignore_case?: boolean };

/** A profile in the making: plain data that is written as a file, and read back by the one who reads all profiles. */
export interface DraftProfile {
  extends?: string[];
  environment: {
    base?: string;
    allow_vars?: string[];
    allow_patterns?: AllowGlob[];
    deny_vars?: DenyEntry[];
    set_vars?: Record<string, string>;
    unset_vars?: string[];
    guard?: string;
    guard_exceptions?: Record<string, string>;
  };
  env_credentials?: Record<string, string> | (BrokeredEntry | { target: string; source: string })[];
  filesystem: {
    preset?: string;
    write?: string[];
    read?: string[];
    hide?: string[];
    expose?: string[];
    workspace?: string;
  };
  network: { block?: boolean; allow?: string[]; deny?: string[] };
  isolation?: string;
}

/** A credential whose value goes to hosts from outside: the command holds a placeholder. */
export interface BrokeredEntry {
  target: string;
  source: string;
  for: string[];
  as?: string[];
  methods?: string[];
  paths?: string[];
}

export type PlaceList = 'write' | 'read' | 'hide' | 'expose';

const NAME = /^[A-Za-z_]\w*$/;
const WELL_FORMED = new RegExp(ALLOW_PATTERN, 'u');
const FOLDERS =
  /\$(?=(?:HOME|WORKDIR|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME|XDG_RUNTIME_DIR)(?!\w)|\{(?:HOME|WORKDIR|XDG_\w+)\})/g;

/** Anything out of a file, as it may be shown: no control characters, no tokens, not endless. */
export function quoted(text: string): string {
  const shown = coverTokens(showText(text));
  return shown.length > 120 ? `${shown.slice(0, 120)}…` : shown;
}

/** What an importer fills: the profile, a row for everything the source says, and the values that belong into the vault. */
export class Draft {
  readonly profile: DraftProfile = { environment: {}, filesystem: {}, network: {} };
  readonly rows: Row[] = [];
  readonly secrets = new Map<string, Secret>();

  row(key: string, fate: Fate, note: string, more: Pick<Row, 'aside' | 'needsAccept'> = {}) {
    this.rows.push({ key: quoted(key), fate, note, ...more });
  }

  /** Has nothing to do with what a command may see. */
  aside(key: string, note = 'not about what a command may see or do') {
    this.row(key, "can't be said", note, { aside: true });
  }

  unknown(key: string) {
    this.row(key, "can't be said", 'Cordon does not know this key, and it may restrict something', {
      needsAccept: true,
    });
  }

  /** A list of texts. What is something else may be meant to restrict, so it has to be accepted. */
  texts(key: string, json: Json | undefined): readonly string[] {
    if (json !== undefined && (!Array.isArray(json) || json.some((item) => typeof item !== 'string')))
      this.unknown(key);
    return textsAt(json);
  }

  /** A glob that upper and lower case mean the same to, `?` and `*` being all that is special in it. */
  simpleGlob(pattern: string): string {
    return pattern.replace(/\[/g, '[[]');
  }

  allowGlob(entry: AllowGlob): boolean {
    if (!isGlob(typeof entry === 'string' ? entry : entry.pattern)) return false;
    this.profile.environment.allow_patterns = [...(this.profile.environment.allow_patterns ?? []), entry];
    return true;
  }

  /** An exact name, `PREFIX*` or `*`. */
  allowVar(entry: string): boolean {
    if (!WELL_FORMED.test(entry) || entry.startsWith('@')) return false;
    const list = this.profile.environment.allow_vars ?? [];
    if (!list.includes(entry)) this.profile.environment.allow_vars = [...list, entry];
    return true;
  }

  deny(entry: DenyEntry): boolean {
    if (!isGlob(typeof entry === 'string' ? entry : entry.pattern)) return false;
    this.profile.environment.deny_vars = [...(this.profile.environment.deny_vars ?? []), entry];
    return true;
  }

  unset(key: string, name: string) {
    if (!/^[^\s=*?[\]]+$/.test(name)) return this.row(key, 'wider', `${quoted(name)} is not the name of a variable`);
    this.profile.environment.unset_vars = [...new Set([...(this.profile.environment.unset_vars ?? []), name])];
  }

  /**
   * A variable with a value out of the source. What looks like a credential goes into the vault, never into a profile. `literal`: a `$` means
   * nothing in the source.
   */
  set(key: string, name: string, value: string, literal = true) {
    const problem = NAME.test(name) ? nameProblem(bytesOfText(name)) : 'it is not the name of a variable';
    if (problem !== undefined) return this.row(key, 'narrower', `${quoted(name)} is not set: ${problem}`);
    if (value.includes('\0')) return this.row(key, 'narrower', `${name} is not set: its value has a NUL in it`);
    if (inspect(bytesOfText(name), bytesOfText(value)) !== undefined) return this.secret(key, name, value);
    const text = literal ? value.replace(FOLDERS, '$$$$') : value;
    this.profile.environment.set_vars = { ...this.profile.environment.set_vars, [name]: text };
    this.row(key, 'same', `set_vars ${name}`);
  }

  /** Kept for `--vault`; the profile names the entry, so nothing starts without it. */
  secret(key: string, name: string, value: string) {
    if (!this.credential(key, `vault://${name}`, name)) return;
    this.secrets.set(name, new Secret(bytesOfText(value)));
    this.row(key, 'same', `${name} is a credential: the profile takes it from the vault (--vault puts it there)`);
  }

  credential(key: string, source: string, target: string): boolean {
    const problem = NAME.test(target) ? targetProblem(bytesOfText(target)) : 'it is not the name of a variable';
    if (problem !== undefined) {
      this.row(key, 'narrower', `no credential is injected as ${quoted(target)}: ${problem}`);
      return false;
    }
    const known = this.profile.env_credentials;
    if (Array.isArray(known)) known.push({ target, source });
    else this.profile.env_credentials = { ...known, [source.replace(/^vault:\/\//, '')]: target };
    return true;
  }

  /** Its value is nowhere inside; refused where a host or a path can't be said as it is meant. */
  brokered(key: string, entry: BrokeredEntry): boolean {
    const rule = brokerRule({
      for: entry.for,
      as: entry.as ?? [],
      methods: entry.methods ?? [],
      paths: entry.paths ?? [],
    });
    if (Array.isArray(rule) || entry.for.length === 0) return false;
    if (!this.credential(key, entry.source, entry.target)) return false;
    const known = this.profile.env_credentials ?? {};
    const all = Array.isArray(known) ? known : Object.entries(known).map(([source, target]) => ({ target, source }));
    this.profile.env_credentials = [...all.filter(({ target }) => target !== entry.target), entry];
    return true;
  }

  /** A path as profiles write it, or undefined where it can't be written there. */
  placeProblem(path: string): string | undefined {
    if (/[*?[\]]/.test(path)) return 'patterns of paths cannot be said';
    const expanded = expandPath(path, { home: '/home/u', workdir: '/work', xdg: { XDG_RUNTIME_DIR: '/run/user/1' } });
    return 'path' in expanded ? undefined : expanded.problem;
  }

  place(list: PlaceList, path: string) {
    const clean = path.length > 1 ? path.replace(/\/+$/, '') : path;
    this.profile.filesystem[list] = [...new Set([...(this.profile.filesystem[list] ?? []), clean])];
  }

  /** A host of the source; `grants`: what can't be said is left out and is narrower, else it is wider. */
  host(key: string, list: 'allow' | 'deny', host: string) {
    this.#listHost(key, list, host, /[@=/]/.test(host) ? `expected ${HOST_EXPECTED}` : hostProblem(host));
  }

  /** An address or a network that no name may lead to. */
  deniedAddress(key: string, address: string) {
    const isWritten = /^[0-9a-f.:/]+$/i.test(address);
    this.#listHost(key, 'deny', address, isWritten ? hostProblem(address) : 'expected an address or a network');
  }

  #listHost(key: string, list: 'allow' | 'deny', host: string, problem: string | undefined) {
    if (problem !== undefined) {
      const fate = list === 'allow' ? 'narrower' : 'wider';
      return this.row(`${key}(${quoted(host)})`, fate, `left out: ${quoted(problem)}`);
    }
    this.profile.network[list] = [...new Set([...(this.profile.network[list] ?? []), host])];
  }

  /** Closes the network where nothing is left of a list that was meant to restrict it. */
  closeUnlessNamed() {
    if ((this.profile.network.allow ?? []).length > 0) return;
    delete this.profile.network.allow;
    delete this.profile.network.deny;
    this.profile.network.block = true;
  }
}

function isGlob(pattern: string): boolean {
  try {
    return Pattern.parse(pattern) !== undefined;
  } catch {
    return false;
  }
}

function hostProblem(host: string): string | undefined {
  const parsed = parseHost(host, 'import');
  return 'problem' in parsed ? parsed.problem : undefined;
}

/** Whether a value names folders that profiles know, and nothing else that is special. */
export function valueIsSayable(value: string): boolean {
  const { unknown, other } = expandValue(value, { home: '/', workdir: '/', xdg: { XDG_RUNTIME_DIR: '/' } });
  return unknown === undefined && !other;
}
