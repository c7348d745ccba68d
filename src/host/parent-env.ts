import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { type Bytes, bytesOfBuffer, bytesOfText } from './bytes.ts';

/** The environment Cordon was started with: every variable once, byte for byte. It can be asked for one name at a time and never prints a value. */
export class ParentEnv {
  readonly #variables: ReadonlyMap<Bytes, Bytes>;
  /** Entries no rule can speak of: an empty name, or no `=` at all. */
  readonly unusable: readonly Bytes[];
  readonly #asked = new Set<Bytes>();
  #judged = false;
  #reported = false;

  private constructor(variables: ReadonlyMap<Bytes, Bytes>, unusable: readonly Bytes[]) {
    this.#variables = variables;
    this.unusable = unusable;
  }

  /** Of several entries with one name the first counts, as for getenv. */
  static fromBlock(block: Uint8Array): ParentEnv {
    const variables = new Map<Bytes, Bytes>();
    const unusable: Bytes[] = [];
    for (const entry of bytesOfBuffer(block).split('\0') as Bytes[]) {
      const equals = entry.indexOf('=');
      if (entry === '') continue;
      if (equals <= 0) unusable.push((equals === 0 ? '' : entry) as Bytes);
      else if (!variables.has(entry.slice(0, equals) as Bytes)) {
        variables.set(entry.slice(0, equals) as Bytes, entry.slice(equals + 1) as Bytes);
      }
    }
    return new ParentEnv(variables, unusable);
  }

  /** Own string properties only: a polluted prototype adds nothing. */
  static fromRecord(record: Readonly<Record<string, string | undefined>>): ParentEnv {
    const variables = new Map<Bytes, Bytes>();
    const unusable: Bytes[] = [];
    for (const [key, value] of Object.entries(record)) {
      if (typeof value !== 'string') continue;
      const name = bytesOfText(key);
      if (isUsableName(name) && !value.includes('\0')) variables.set(name, bytesOfText(value));
      else unusable.push(name);
    }
    return new ParentEnv(variables, unusable);
  }

  /** Somebody wants this very variable, which is remembered: what came of it holds only while its value stays. */
  get(name: Bytes): Bytes | undefined {
    this.#asked.add(name);
    return this.#variables.get(name);
  }

  /** For rules, which the launcher can ask again at each start. */
  peek(name: Bytes): Bytes | undefined {
    return this.#variables.get(name);
  }

  get asked(): readonly Bytes[] {
    return [...this.#asked];
  }

  /** The values of those that pass were looked at. */
  judge(): void {
    this.#judged = true;
  }

  get wasJudged(): boolean {
    return this.#judged;
  }

  /** Something is said of those that don't pass. */
  report(): void {
    this.#reported = true;
  }

  get wasReported(): boolean {
    return this.#reported;
  }

  names(): Bytes[] {
    return [...this.#variables.keys()];
  }

  toJSON(): string {
    return `[environment of ${this.#variables.size} variables]`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}

export function isUsableName(name: Bytes): boolean {
  return name !== '' && !name.includes('=') && !name.includes('\0');
}

/** The native front starts the planner with a clean environment; what the user really has is the front's own. */
export function captureParentEnv(): ParentEnv {
  const block = process.platform === 'linux' ? readEnvBlock() : undefined;
  return block === undefined ? ParentEnv.fromRecord(process.env) : ParentEnv.fromBlock(block);
}

function readEnvBlock(): Buffer | undefined {
  const owner = frontDescriptor() === undefined ? 'self' : String(process.ppid);
  try {
    return readFileSync(`/proc/${owner}/environ`);
  } catch (cause) {
    if (owner !== 'self')
      throw new Error('cannot read the environment of the cordon program: /proc is not available', { cause });
    return undefined;
  }
}

/**
 * What the native front has kept for a plan, when it would keep this one for the next time. Whoever asks again, or gets the descriptor as
 * a child, finds nothing left in the pipe.
 */
export function captureKept(): string | undefined {
  return process.env.CORDON_KEEP === '4' ? readFileSync(4, 'latin1') : undefined;
}

/** The name under which the native front looks for how to begin the client of this very start the next time. */
export function nameToBegin(): string | undefined {
  const name = process.env.CORDON_BEGIN;
  return name !== undefined && frontDescriptor() !== undefined && /^[0-9a-f]{64}$/.test(name) ? name : undefined;
}

/** Where the descriptors begin that belong to a client which the native front has begun (native/src/begun.c). */
export function begunDescriptors():
  | { readonly listener: number; readonly line: number; readonly input: number }
  | undefined {
  return process.env.CORDON_BEGUN === '4' && frontDescriptor() !== undefined
    ? { listener: 4, line: 5, input: 6 }
    : undefined;
}

/** The descriptor on which the native front waits for a plan, when it started us. */
export function frontDescriptor(): number | undefined {
  return process.env.CORDON_FRONT === '3' ? 3 : undefined;
}

/** The arguments after the program's name, byte for byte: Node's own copy has lost what is not UTF-8. */
export function captureArguments(): Bytes[] {
  const decoded = process.argv.slice(2);
  if (process.platform !== 'linux') return decoded.map(bytesOfText);
  const owner = frontDescriptor() === undefined ? 'self' : String(process.ppid);
  const all = bytesOfBuffer(readFileSync(`/proc/${owner}/cmdline`))
    .split('\0')
    .slice(0, -1) as Bytes[];
  return decoded.length === 0 ? [] : all.slice(-decoded.length);
}

/** The environment of the running process as a library's caller sees it, changes made at run time included. */
export function currentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
