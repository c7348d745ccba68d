import { deniedWordsIn, nameParts } from '../decide/guard/index.ts';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { ALLOWLIST } from './allowlist.ts';
import { SandboxSpecForbidden } from './forbidden.ts';

/** Lets one exact variable through whose name only happens to contain a denied word. */
export interface SandboxException {
  readonly name: string;
  readonly reason: string;
}

/** What a spec may let through, and what it never may. */
export interface SandboxOptions {
  /** Exact names, or prefixes written `CARGO_*`. */
  readonly addToAllowlist?: readonly string[] | undefined;
  readonly exceptions?: readonly SandboxException[] | undefined;
}

/** The options as they were once read: later changes of the caller's objects have no effect. */
export interface SandboxRules {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  /** Added entries as written, sorted. */
  readonly added: readonly string[];
  readonly exceptions: readonly SandboxException[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,252}_\*$/;

export function readOptions(options: SandboxOptions): SandboxRules {
  const added = [...new Set(listOf(options, 'addToAllowlist').map(readEntry))].sort();
  const exceptions = listOf(options, 'exceptions').map(readException).sort(byName);
  refuseRepeated(exceptions);
  return {
    names: new Set([...ALLOWLIST.names, ...added.filter((entry) => !entry.endsWith('*'))]),
    prefixes: [
      ...ALLOWLIST.prefixes,
      ...added.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1)),
    ],
    added,
    exceptions,
  };
}

/** Own properties only: a polluted Object.prototype can't add to the lists. */
function listOf(options: SandboxOptions, key: 'addToAllowlist' | 'exceptions'): readonly unknown[] {
  const list: unknown = Object.hasOwn(options, key) ? options[key] : undefined;
  if (list === undefined) return [];
  if (Array.isArray(list)) return Array.from(list);
  throw new CordonError('policy', `${key} is not a list`, { where: key, hint: `write it as ${key}: [...]` });
}

function readEntry(entry: unknown): string {
  if (typeof entry === 'string' && (NAME.test(entry) || PREFIX.test(entry))) return entry;
  throw new CordonError('policy', 'an allowlist entry is neither a variable name nor a prefix', {
    where: 'addToAllowlist',
    hint: "use an exact name ('CI') or a prefix that ends in _* ('CARGO_*')",
  });
}

function readException(exception: unknown): SandboxException {
  const { name, reason } = ownFields(exception);
  if (typeof name !== 'string' || !NAME.test(name)) throw badException('names no single variable');
  if (typeof reason !== 'string' || reason.trim() === '') throw badException(`for ${name} gives no reason`);
  refuseWholeWord(name);
  return Object.freeze({ name, reason });
}

function ownFields(exception: unknown): { readonly name?: unknown; readonly reason?: unknown } {
  return Object.assign(Object.create(null), typeof exception === 'object' ? exception : undefined);
}

function badException(problem: string): CordonError {
  return new CordonError('policy', `an exception ${problem}`, {
    where: 'exceptions',
    hint: "write { name: 'KEYBOARD_LAYOUT', reason: 'why it is not a credential' }: one exact name each",
  });
}

/** Where the word stands as a part of its own, the name means what it says: no reason makes ANTHROPIC_API_KEY harmless. */
function refuseWholeWord(name: string): void {
  const bytes = bytesOfText(name);
  const word = deniedWordsIn(bytes).find((denied) => nameParts(bytes).includes(denied));
  if (word === undefined) return;
  throw new SandboxSpecForbidden(
    [{ name, reason: `${word} is a whole part of the name` }],
    'exceptions',
    EXCEPTION_HINT,
  );
}

const EXCEPTION_HINT =
  'an exception is possible only where the word is part of another one, as in KEYBOARD_LAYOUT; hand credentials to the launch, not to the spec';

function refuseRepeated(exceptions: readonly SandboxException[]): void {
  const repeated = exceptions.find((exception, i) => exceptions[i + 1]?.name === exception.name);
  if (repeated !== undefined) throw badException(`for ${repeated.name} is given twice`);
}

function byName(a: SandboxException, b: SandboxException): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
