/** Numbers and times as people read them. */

const PLAIN = new Intl.NumberFormat('en');
export const number = (value: number) => PLAIN.format(value);
export const count = (value: number, one: string, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

const DAY = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const WHOLE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const clock = (time: number) => (time === 0 ? '–' : CLOCK.format(time));
export const day = (time: number) => (time === 0 ? '–' : DAY.format(time));
export const wholeTime = (time: number) => (time === 0 ? 'unknown' : WHOLE.format(time));

export function span(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  return size < 1 << 20 ? `${(size / 1024).toFixed(1)} kB` : `${(size / (1 << 20)).toFixed(1)} MB`;
}

export function programOf(command: string): { readonly name: string; readonly folder: string } {
  const at = command.lastIndexOf('/');
  return { name: command.slice(at + 1) || command, folder: at > 0 ? command.slice(0, at) : '' };
}

/** A home is what people know their folders by. */
export const shortFolder = (folder: string) => folder.replace(/^\/(?:home\/[^/]+|root)(?=\/|$)/, '~');

/** The rule of a decision, as the reason a reader asks for. */
export function reasonOf(verdict: string, rule: string, origin = ''): string {
  if (verdict === 'set') return 'set by the policy';
  if (verdict === 'credential') return 'injected credential';
  if (verdict === 'pass') return origin === '' ? 'passed by the policy' : placeOf(origin);
  const kind = kindOf(rule);
  return DROPPED[kind] ?? (kind === 'deny' ? `denied: ${rule.slice(5)}` : rule);
}

/** What would harm most if it arrived. */
export const isGrave = (rule: string) => ['never', 'guard'].includes(kindOf(rule));

const kindOf = (rule: string) => rule.split(' ', 1)[0] ?? '';

/** Of `profiles/web.json:4:7` the file, of `built-in profile ci: environment.allow_vars[2]` the profile. */
const placeOf = (origin: string) =>
  origin
    .replace(/: .*$/, '')
    .replace(/(?::\d+)+$/, '')
    .replace(/^\/.*\/(?=[^/]+$)/, '');

const DROPPED: Readonly<Record<string, string>> = {
  default: 'no rule admits it',
  never: 'can make programs run other code',
  hold: 'passed only by its exact name',
  control: "Cordon's own variable",
  guard: 'looks like a credential',
  check: 'its value steers what is read',
  replace: 'replaced by the policy',
  value: 'a shell function',
  unusable: 'no usable name',
};
