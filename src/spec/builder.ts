import { guardValue } from '../decide/guard/index.ts';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type HostVariables, keepAllowed, readVariables, type SandboxEnv } from './filter.ts';
import { type ForbiddenEntry, SandboxSpecForbidden } from './forbidden.ts';
import { readOptions, type SandboxOptions, type SandboxRules } from './options.ts';
import { decideVariables, refusedEntries, type Variables } from './policy.ts';
import { hashSpec, type SandboxMount, type SandboxSpec } from './spec.ts';

/** What a builder starts from. */
export interface SandboxSpecOptions extends SandboxOptions {
  /** Variables a later step wants in the spec. They are checked, not filtered: what the filter would leave out is refused. */
  readonly postFilterEnv?: HostVariables | undefined;
}

const HINT =
  'take it off the list or out of the environment; a sandbox gets credentials from the launch, never from its spec';

/** Builds a sandbox spec that cannot carry a credential. */
export class SandboxSpecBuilder {
  readonly #rules: SandboxRules;
  readonly #forced: Variables;
  #host: Variables = new Map();
  #image: string | undefined;
  #command: readonly string[] = [];
  #workdir = '/workspace';
  #network: 'on' | 'off' = 'off';
  #mounts: readonly SandboxMount[] = [];

  constructor(options: SandboxSpecOptions = {}) {
    this.#rules = readOptions(options);
    const forced = Object.hasOwn(options, 'postFilterEnv') ? options.postFilterEnv : undefined;
    this.#forced = readVariables(forced ?? {});
  }

  /** The host's environment; the filter decides what of it passes. */
  inheritFrom(env: HostVariables): this {
    this.#host = readVariables(env);
    return this;
  }

  image(reference: string): this {
    this.#image = reference;
    return this;
  }

  command(argv: readonly string[]): this {
    this.#command = Object.freeze(Array.from(argv));
    return this;
  }

  workdir(path: string): this {
    this.#workdir = path;
    return this;
  }

  network(state: 'on' | 'off'): this {
    this.#network = state;
    return this;
  }

  mount({ source, target, access }: SandboxMount): this {
    this.#mounts = Object.freeze([...this.#mounts, Object.freeze({ source, target, access })]);
    return this;
  }

  /** Checks the allowlist, what was put in after the filter, and the finished environment; then freezes the spec. */
  build(): SandboxSpec {
    const fields = {
      image: this.#image,
      command: this.#command,
      workdir: this.#workdir,
      network: this.#network,
      mounts: this.#mounts,
    };
    refuseBadFields(fields);
    refuseAll(refusedEntries([...this.#rules.names, ...this.#rules.prefixes], this.#rules), 'the allowlist');
    refuseAll(forbiddenIn(this.#forced, this.#rules), 'postFilterEnv');
    refuseAll(credentialsInFields(fields), 'the spec');
    const env = keepAllowed(new Map([...this.#host, ...this.#forced].sort(byName)), this.#rules);
    refuseAll(forbiddenIn(new Map(Object.entries(env)), this.#rules), 'the finished spec');
    return finish(fields, env, this.#rules);
  }
}

function forbiddenIn(variables: Variables, rules: SandboxRules): readonly ForbiddenEntry[] {
  return decideVariables(variables, rules).filter(({ verdict }) => verdict === 'drop');
}

function refuseAll(entries: readonly ForbiddenEntry[], where: string): void {
  if (entries.length > 0) throw new SandboxSpecForbidden(entries, where, HINT);
}

function finish(
  fields: Pick<SandboxSpec, 'image' | 'command' | 'workdir' | 'network' | 'mounts'>,
  env: SandboxEnv,
  rules: SandboxRules,
): SandboxSpec {
  const content = {
    version: 1 as const,
    ...fields,
    env,
    addedToAllowlist: Object.freeze(rules.added),
    exceptions: Object.freeze(rules.exceptions),
  };
  return Object.freeze({ ...content, hash: hashSpec(content) });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

type SpecFields = Pick<SandboxSpec, 'image' | 'command' | 'workdir' | 'network' | 'mounts'>;

/** Fields that come from plain JavaScript may hold anything. */
function refuseBadFields(fields: SpecFields): void {
  if (fields.image !== undefined) requireText('image', fields.image);
  if (fields.command.length === 0) throw badField('command', 'is empty', "name a program: command(['npm', 'ci'])");
  for (const argument of fields.command) requireText('command', argument);
  requirePath('workdir', fields.workdir);
  if (fields.network !== 'on' && fields.network !== 'off')
    throw badField('network', 'is neither on nor off', "use 'on' or 'off'");
  for (const mount of fields.mounts) refuseBadMount(mount);
}

function refuseBadMount({ source, target, access }: SandboxSpec['mounts'][number]): void {
  requirePath('mounts', source);
  requirePath('mounts', target);
  if (access !== 'read-only' && access !== 'read-write') {
    throw badField('mounts', 'has an unknown access', "use 'read-only' or 'read-write'");
  }
}

function requireText(field: string, value: unknown): void {
  if (typeof value === 'string' && !value.includes('\0')) return;
  throw badField(field, 'holds something other than text', 'use strings without NUL');
}

function requirePath(field: string, value: unknown): void {
  requireText(field, value);
  if (!String(value).startsWith('/')) throw badField(field, 'is not an absolute path', 'begin it with /');
}

function badField(field: string, problem: string, hint: string): CordonError {
  return new CordonError('policy', `${field} of the sandbox spec ${problem}`, {
    where: `SandboxSpecBuilder.${field}`,
    hint,
  });
}

/** Arguments and paths end up in process lists and logs: a credential is no more welcome there than in the environment. */
function credentialsInFields({ image, command, workdir, mounts }: SpecFields): readonly ForbiddenEntry[] {
  const texts: (readonly [string, string])[] = [
    ['image', image ?? ''],
    ...command.map((argument, i) => [`command[${i}]`, argument] as const),
    ['workdir', workdir],
    ...mounts.flatMap(
      ({ source, target }, i) =>
        [
          [`mounts[${i}]`, source],
          [`mounts[${i}]`, target],
        ] as const,
    ),
  ];
  return texts.flatMap(([name, text]) => {
    const found = guardValue(bytesOfText(''), bytesOfText(text));
    return found === undefined ? [] : [{ name, reason: found.reason }];
  });
}
