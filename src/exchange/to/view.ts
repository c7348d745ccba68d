import { showBytes, showText } from '../../host/bytes.ts';
import type { HostRule } from '../../policy/network/rules.ts';
import { Pattern } from '../../policy/pattern.ts';
import type { Policy } from '../../policy/policy.ts';
import { ANY_CASE, NEVER_PATTERNS, presetPatterns } from '../../policy/presets/presets.ts';
import type { Fate, Row } from '../fate.ts';

/** Stand for the folders of whoever uses it, so that they can be written in the words of each tool. */
export const HOME = '/.home-of-the-user';
export const WORKDIR = '/.working-folder';

/** A policy as exporters look at it. It was loaded with `HOME` and `WORKDIR` for the folders. */
export class View {
  readonly name: string;
  readonly policy: Policy;
  readonly home: string | undefined;
  readonly rows: Row[] = [];

  constructor(name: string, policy: Policy, home: string | undefined) {
    this.name = name;
    this.policy = policy;
    this.home = home;
  }

  row(key: string, fate: Fate, note: string): void {
    this.rows.push({ key, fate, note });
  }

  /** What is inherited: base and list, as one. */
  get inherited(): Pattern[] {
    const { base, allow } = this.policy;
    const of = ANY_CASE.includes(base.preset) ? Pattern.ignoringCase : Pattern.builtIn;
    return [...presetPatterns(base.preset).map((name) => of(name)), ...allow.map(({ pattern }) => pattern)];
  }

  get inheritsAll(): boolean {
    return this.inherited.some(({ source }) => source === '*');
  }

  /** Variables with fixed values; one that names the working folder can't be said elsewhere. */
  get values(): [string, string][] {
    return this.policy.set.flatMap(({ name, value }): [string, string][] => {
      const key = `set_vars ${showBytes(name)}`;
      const text = this.home === undefined ? value : value.replaceAll(HOME, this.home);
      if (value.includes(WORKDIR) || text.includes(HOME)) {
        this.row(key, 'narrower', 'left out: its value is another one at every start');
        return [];
      }
      this.row(key, 'same', '');
      return [[name, text]];
    });
  }

  /** `~/x`, `./x` or an absolute path, as `form` writes the first two. */
  path(path: string, form: { readonly home: string; readonly workdir: string }): string {
    const under = (folder: string, word: string) => {
      if (path === folder) return word;
      return path.startsWith(`${folder}/`) ? `${word}${path.slice(folder.length)}` : undefined;
    };
    return under(HOME, form.home) ?? under(WORKDIR, form.workdir) ?? path;
  }

  /** What no other tool has: they are said once. */
  ownRows(passing: readonly Pattern[] = this.inherited): void {
    const { policy } = this;
    for (const { key } of policy.ssh ?? [])
      this.row(`ssh_keys ${showText(key)}`, 'narrower', 'left out: no other tool binds a key to its hosts');
    for (const { target } of policy.credentials)
      this.row(`env_credentials ${showBytes(target)}`, 'narrower', 'left out: give it there in its own way');
    if (policy.redact) this.row('redact', 'wider', 'output is not looked at there');
    if (policy.guard !== 'off')
      this.row(`guard ${policy.guard}`, 'wider', 'values that look like credentials are not looked at there');
    if (passing.some(mayMeetInjection))
      this.row(
        '(LD_PRELOAD, NODE_OPTIONS …)',
        'wider',
        'variables that make programs run other code pass there, if they match',
      );
  }

  /** Hosts as texts, where the network goes by names. */
  hosts(list: 'allow' | 'deny'): string[] {
    return this.policy.network[list].map(({ text }: HostRule) => text);
  }
}

/** Whether a rule could let a name of the code-injection list through where nobody keeps it back. */
function mayMeetInjection(pattern: Pattern): boolean {
  const beginning = (one: Pattern) => (one.anyCase ?? one.source).split(/[*?[]/)[0]?.toUpperCase() ?? '';
  return NEVER_PATTERNS.some(({ pattern: never }) => {
    if (pattern.exact) return never.matches(pattern.source);
    if (never.exact && pattern.matches(never.source)) return true;
    const [a, b] = [beginning(pattern), beginning(never)];
    return !never.exact && (a.startsWith(b) || b.startsWith(a)) && /[*?]/.test(pattern.source);
  });
}

/** A pattern with nothing special in it but `*` and `?`; undefined where it has a class. */
export function simpleText(pattern: Pattern): string | undefined {
  const text = (pattern.anyCase ?? pattern.source).replace(/\[\[\]/g, '\u0001');
  return !pattern.exact && text.includes('[') ? undefined : text.replaceAll('\u0001', '[');
}

export const hasLetters = (text: string) => /[A-Za-z]/.test(text);

export const TARGETS = ['codex', 'gemini', 'claude', 'srt', 'nono', 'docker', 'devcontainer', 'firejail'] as const;
export type Target = (typeof TARGETS)[number];

/** What a profile comes to in another tool's words. */
export interface Exported {
  readonly text: string;
  readonly rows: readonly Row[];
}

export type Exporter = (view: View) => Exported;
