import { type Bytes, showBytes } from '../host/bytes.ts';
import { CONTROL_VARIABLES } from '../host/control.ts';
import { Pattern } from '../policy/pattern.ts';
import type { Origin, Policy } from '../policy/policy.ts';
import {
  ANY_CASE,
  type ListedPattern,
  NEVER_PATTERNS,
  ONLY_BY_NAME_PATTERNS,
  presetPatterns,
} from '../policy/presets/presets.ts';

type RuleKind = 'replace' | 'control' | 'never' | 'hold' | 'check' | 'deny' | 'allow';

/** One line of what the launcher reads and `decide` runs: the first rule that applies to a variable decides. */
export interface Rule {
  readonly kind: RuleKind;
  readonly pattern: Pattern;
  readonly except: readonly Pattern[];
  readonly check?: CheckKind;
  readonly origin: Origin;
  readonly reason: string;
  readonly extraKey?: boolean;
  readonly plain?: boolean;
}

const NOTHING: readonly Pattern[] = [];
const BUILT_IN: Origin = 'built-in list';

/**
 * The policy as ordered rules (2 to 7 of `decide`):
 * replace — a value will be set or injected under the name, or it is a credential's source;
 * control — Cordon's own variables;
 * never   — the code-injection list, which nothing overrides; hold — names that only an exact rule admits;
 * check   — values that steer file reads;
 * deny    — with each pattern's own exceptions;
 * allow   — base, then allow. The credential guard asks between check and deny.
 */
export function compileRules(policy: Policy): Rule[] {
  const allow = allowRules(policy);
  return [
    ...replaceRules(policy),
    ...CONTROL_RULES,
    ...neverRules(policy),
    ...holdRules(allow),
    ...CHECK_RULES,
    ...denyRules(policy),
    ...allow,
  ];
}

function replaceRules({ set, credentials }: Policy): Rule[] {
  const rule = (name: Bytes, origin: Origin, reason: string): Rule => ({
    kind: 'replace',
    pattern: Pattern.exactly(name),
    except: NOTHING,
    origin,
    reason,
  });
  return [
    ...set.map(({ name, origin }) => rule(name, origin, 'the policy sets its own value')),
    ...credentials.map(({ target, origin }) => rule(target, origin, 'a credential is injected under this name')),
    ...credentials.flatMap(({ sourceVariable, target, origin }) =>
      sourceVariable === undefined
        ? []
        : [rule(sourceVariable, origin, `it is the source of the credential ${showBytes(target)}`)],
    ),
  ];
}

const CONTROL_RULES: readonly Rule[] = CONTROL_VARIABLES.map((name) => ({
  kind: 'control',
  pattern: Pattern.builtIn(name),
  except: NOTHING,
  origin: BUILT_IN,
  reason: "it is one of Cordon's own variables",
}));

const NEVER_RULES: readonly Rule[] = NEVER_PATTERNS.map((listed) => ({
  ...listedRule('never', listed),
  reason: `it can make programs run other code (${listed.group}), so no policy passes it on`,
}));

/** The agent base passes exactly the names of its own table; everywhere else the list wins. */
function neverRules({ base }: Policy): readonly Rule[] {
  if (base.preset !== 'agent') return NEVER_RULES;
  const own = presetPatterns('agent').map((name) => Pattern.builtIn(name));
  return NEVER_RULES.map((rule) => ({ ...rule, except: own.filter(({ source }) => rule.pattern.matches(source)) }));
}

function holdRules(allow: readonly Rule[]): Rule[] {
  const named = new Set(allow.filter(({ pattern }) => pattern.exact).map(({ pattern }) => pattern.source));
  return ONLY_BY_NAME_PATTERNS.filter(({ pattern }) => !named.has(pattern.source)).map((listed) => ({
    ...listedRule('hold', listed),
    reason: `it hands over authority (${listed.group}), so only a rule with its exact name passes it on`,
  }));
}

function listedRule(kind: RuleKind, { pattern }: ListedPattern): Omit<Rule, 'reason'> {
  return { kind, pattern, except: NOTHING, origin: BUILT_IN };
}

/** Values that make a library read a file of the sender's choice, the ones sudo's env_check drops. */
type CheckKind = 'locale' | 'tz' | 'term';

export const CHECKED: readonly (readonly [CheckKind, string])[] = [
  ['locale', 'LANG'],
  ['locale', 'LANGUAGE'],
  ['locale', 'LC_*'],
  ['tz', 'TZ'],
  ['term', 'TERM'],
];

const CHECK_RULES: readonly Rule[] = CHECKED.map(([check, name]) => ({
  kind: 'check',
  check,
  pattern: Pattern.builtIn(name),
  except: NOTHING,
  origin: BUILT_IN,
  reason: 'its value could make a library read a file of its choice',
}));

const denyRules = ({ deny }: Policy): Rule[] =>
  deny.map(({ pattern, except, origin }) => ({ kind: 'deny', pattern, except, origin, reason: 'a deny rule matches' }));

function allowRules({ base, allow }: Policy): Rule[] {
  const patternOf = ANY_CASE.includes(base.preset) ? Pattern.ignoringCase : Pattern.builtIn;
  const fromBase: Rule[] = presetPatterns(base.preset).map((name) => ({
    kind: 'allow',
    pattern: patternOf(name),
    except: NOTHING,
    origin: base.origin,
    reason: `base ${base.preset} includes it`,
  }));
  const listed: Rule[] = allow.map(({ pattern, origin, extraKey, plain }) => ({
    kind: 'allow',
    pattern,
    except: NOTHING,
    origin,
    reason: 'an allow rule matches',
    ...(extraKey === true ? { extraKey } : {}),
    ...(plain === true ? { plain } : {}),
  }));
  return [...fromBase, ...listed];
}

/**
 * Finds the rules whose pattern matches a name, in order, without asking every rule: exact names and prefixes are looked up, and another
 * glob is tried only on names that have the first three bytes of its longest plain run somewhere.
 */
export class RuleIndex {
  readonly #rules: readonly Rule[];
  readonly #exact = new Map<string, number[]>();
  readonly #prefixes = new Map<number, Map<string, number[]>>();
  readonly #byTriple = new Map<number, number[]>();
  readonly #always: number[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    for (const [at, { pattern }] of rules.entries()) {
      if (pattern.exact) append(this.#exact, pattern.source, at);
      else if (pattern.prefix !== undefined) append(this.#prefixesOf(pattern.prefix.length), pattern.prefix, at);
      else if (pattern.needle.length >= 3) append(this.#byTriple, tripleAt(pattern.needle, 0), at);
      else this.#always.push(at);
    }
  }

  #prefixesOf(length: number): Map<string, number[]> {
    const known = this.#prefixes.get(length) ?? new Map<string, number[]>();
    this.#prefixes.set(length, known);
    return known;
  }

  matching(name: Bytes): Rule[] {
    const found: number[] = [];
    gather(found, this.#exact.get(name));
    for (const [length, prefixes] of this.#prefixes) {
      if (length <= name.length) gather(found, prefixes.get(name.slice(0, length)));
    }
    for (const at of this.#always) if ((this.#rules[at] as Rule).pattern.matches(name)) found.push(at);
    this.#gatherByTriple(name, found);
    if (found.length > 1) found.sort((a, b) => a - b);
    return found.map((at) => this.#rules[at] as Rule);
  }

  /** A triple may occur often in a name; each rule is tried once. */
  #gatherByTriple(name: Bytes, found: number[]): void {
    const tried: number[] = [];
    for (let i = 0; i + 2 < name.length; i++) {
      for (const at of this.#byTriple.get(tripleAt(name, i)) ?? NONE) {
        if (tried.includes(at)) continue;
        tried.push(at);
        if ((this.#rules[at] as Rule).pattern.matches(name)) found.push(at);
      }
    }
  }
}

const NONE: readonly number[] = [];

function tripleAt(text: Bytes, at: number): number {
  return (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);
}

function gather(found: number[], more: readonly number[] | undefined): void {
  if (more !== undefined) found.push(...more);
}

function append<Key>(map: Map<Key, number[]>, key: Key, at: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [at]);
  else list.push(at);
}

export function isUnsafeValue(kind: CheckKind, value: Bytes): boolean {
  return kind === 'tz' ? isUnsafeTimeZone(value) : /[/%]/.test(value);
}

const ZONE_FILES = '/usr/share/zoneinfo/';

function isUnsafeTimeZone(value: Bytes): boolean {
  const path = value.startsWith(':') ? value.slice(1) : value;
  if (path.startsWith('/') && !path.startsWith(ZONE_FILES)) return true;
  return value.length > 4096 || value.includes('..') || /[^\x21-\x7e]|%/.test(value);
}

/** Bash before its 2014 fix ran functions found in values; nothing else begins like this. */
export function isFunctionValue(value: Bytes): boolean {
  return value.startsWith('() {');
}
