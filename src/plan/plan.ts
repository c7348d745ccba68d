import { type Bytes, bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { isByName } from '../policy/network/rules.ts';
import type { Isolation, Policy } from '../policy/policy.ts';
import { isSealed, type SealedEnv, sealedEntries } from '../seal/seal.ts';
import { HIDDEN_BY_POLICY, type Operation, type Outside, type SystemLinks } from './places/index.ts';
import { seccompProgram } from './seccomp/index.ts';

declare const planBrand: unique symbol;

interface Command {
  /** The file to execute. */
  readonly path: Bytes;
  /** All arguments; the first is the name the program sees as its own. */
  readonly argv: readonly Bytes[];
  /** Where a path without a slash is looked for, by the launcher: in a container nobody outside can. */
  readonly search?: readonly Bytes[];
}

interface PlanInput {
  readonly name: string;
  readonly command: Command;
  readonly env: SealedEnv;
  readonly workdir: string;
  readonly policy: Pick<Policy, 'isolation' | 'network' | 'filesystem'>;
  /** What is where inside. */
  readonly places: readonly Operation[];
  readonly machine: Machine;
  readonly records?: Records | undefined;
  readonly limits?: readonly ResourceLimit[] | undefined;
  /** Nothing is started: the arguments are paths, of which is told what the command would find there. */
  readonly look?: boolean | undefined;
  /** What is only good to know is left out. */
  readonly quiet?: boolean | undefined;
  /** At the end is told what the policy kept away, also of a command that succeeded. */
  readonly summary?: boolean | undefined;
  /** Standard error is a pipe, and whoever reads it shows it on a terminal. */
  readonly onTerminal?: boolean | undefined;
  /** The file that a list of all that is tried goes to. */
  readonly trace?: string | undefined;
}

/** What each process of the command may use, as `setrlimit` has it; only behind the barrier. */
export interface ResourceLimit {
  readonly resource: 'nproc' | 'data' | 'cpu' | 'fsize' | 'nofile';
  readonly value: number;
}

/** What this machine offers to a launch. */
export interface Machine {
  readonly bwrap: string | undefined;
  readonly uid: number;
  readonly arch: 'x64' | 'arm64' | undefined;
  readonly links: SystemLinks;
}

/** Where Cordon keeps book about this launch. */
export interface Records {
  /** The id of the launch; undefined in a shim, whose launcher makes one at each start. */
  readonly launch?: string | undefined;
  readonly stateFolder: string;
  readonly audit?: { readonly file: string; readonly head: string } | undefined;
}

/** Everything about one launch, as data; only `plan` makes one and only `launch` carries it out. */
export interface LaunchPlan {
  readonly [planBrand]: true;
  readonly name: string;
  readonly command: Command;
  readonly env: SealedEnv;
  readonly workdir: string;
  readonly isolation: Isolation;
  readonly bwrap: string | undefined;
  readonly places: readonly Operation[];
  readonly arch: Machine['arch'];
  /** Why filter would not do, when it would not. */
  readonly explicit: string | undefined;
  readonly records: Records | undefined;
  readonly limits: readonly ResourceLimit[];
  readonly look: boolean;
  readonly quiet: boolean;
  readonly summary: boolean;
  readonly onTerminal: boolean;
  readonly trace: string | undefined;
}

/** Hosts that are named need someone who lets them through: without that, a plan is none. */
export function withNetwork(places: readonly Operation[], network: Policy['network']): readonly Operation[] {
  if (network.mode === 'off') return withoutNetwork(places);
  if (isByName(network) && !places.some(({ kind }) => kind === 'network-names'))
    throw new TypeError('a plan with a list of hosts says who lets them through');
  return places;
}

/** A session starts every command with the same places, and knows them by this. */
const withoutNetwork = once((places: readonly Operation[]): readonly Operation[] => [
  ...places,
  { kind: 'network-off' },
]);

/** What depends on nothing else is made once for each. */
function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const plans = new WeakSet<object>();

export function plan(input: PlanInput): LaunchPlan {
  if (!isSealed(input.env)) throw new TypeError('a plan takes only an environment made by seal()');
  const { policy, machine } = input;
  const explicit = whyBarrier(policy);
  if (policy.isolation === 'filter' && explicit !== undefined) throw contradiction(explicit);
  const result = {
    name: input.name,
    command: input.command,
    env: input.env,
    workdir: input.workdir,
    isolation: policy.isolation,
    bwrap: machine.bwrap,
    places: policy.isolation === 'filter' ? input.places : withNetwork(input.places, policy.network),
    arch: machine.arch,
    explicit,
    records: input.records,
    limits: input.limits ?? [],
    look: input.look ?? false,
    quiet: input.quiet ?? false,
    summary: input.summary ?? false,
    onTerminal: input.onTerminal ?? false,
    trace: input.trace,
  };
  plans.add(result);
  return Object.freeze(result) as unknown as LaunchPlan;
}

export function isPlan(value: unknown): value is LaunchPlan {
  return typeof value === 'object' && value !== null && plans.has(value);
}

function whyBarrier({ filesystem, network, isolation }: PlanInput['policy']): string | undefined {
  if (network.mode === 'off') return 'the network is to be off';
  if (isByName(network)) return 'the network is to be open by name';
  if (filesystem.explicit) return `filesystem preset ${filesystem.preset} was asked for`;
  return isolation === 'barrier' ? 'isolation barrier was asked for' : undefined;
}

function contradiction(why: string): CordonError {
  return new CordonError('policy', `isolation filter cannot hold this: ${why}`, {
    hint: 'leave out --isolation filter, or the part of the policy that needs the barrier',
  });
}

export const PLAN_HEADER = 'cordon-plan 2';

const HIDDEN = '***' as Bytes;

/** The same text is handed over and kept. */
const known = new WeakMap<LaunchPlan, string>();

/** The plan with its values, for the pipe to the launcher. */
export function wholePlanText(plan: LaunchPlan): string {
  const text = known.get(plan) ?? planText(plan, 'with-values');
  known.set(plan, text);
  return text;
}

/** The plan as the launcher reads it. Only the pipe to the launcher gets the values; for people they are `***`. */
export function planText(plan: LaunchPlan, values: 'with-values' | 'hidden', parent?: number): string {
  return [
    ...headLines(plan, parent),
    ...commandLines(plan, values),
    ...(plan.look ? ['look'] : []),
    ...(plan.quiet ? ['quiet'] : []),
    ...(plan.summary ? ['summary'] : []),
    ...(plan.onTerminal ? ['on-terminal'] : []),
    ...(plan.trace === undefined ? [] : [textLine('trace', plan.trace)]),
    ...containmentLines({ ...plan, supervise: true, abstractSockets: 'cut off' }, values),
    ...recordLines(plan.records),
    'end',
    '',
  ].join('\n');
}

/**
 * The same in two texts: how the sandbox is made, which has no value in it and can be sent before there is a call, and what runs in it.
 * Undefined where that cannot be told apart.
 */
export function planInTwo(plan: LaunchPlan, parent?: number): { first: string; second: () => string } | undefined {
  const { command, look, quiet, summary, onTerminal, trace, places } = plan;
  if (command.search !== undefined || trace !== undefined || [look, quiet, summary, onTerminal].includes(true)) return;
  if (!places.every(canBeMadeAhead)) return;
  const held = containmentLines({ ...plan, supervise: true, abstractSockets: 'cut off' }, 'with-values');
  return {
    first: [...headLines(plan, parent), 'later', ...held, 'end', ''].join('\n'),
    second: () =>
      [PLAN_HEADER, ...commandLines(plan, 'with-values'), ...recordLines(plan.records), 'end', ''].join('\n'),
  };
}

const canBeMadeAhead = (operation: Operation) =>
  operation.kind === 'data'
    ? HOW_NAMES_ARE_FOUND.test(operation.path)
    : MADE_AHEAD.has(operation.kind) && !(operation.kind === 'keep-out' && operation.why === HIDDEN_BY_POLICY);

/** Files of the system whose text is no secret: without a network they say that there is nobody to ask. */
const HOW_NAMES_ARE_FOUND = /^\/(?:etc|run)\/(?:.*[/-])?(?:resolv|nsswitch)\.conf$/;

/**
 * What is the same for a command that starts at once and for one that starts later. What the policy hides may only be put there meanwhile,
 * the text of a file may be a secret, and a list of hosts has a process of its own.
 */
const MADE_AHEAD: ReadonlySet<Operation['kind']> = new Set([
  ...(['root', 'read', 'write', 'try-read', 'try-write', 'cut', 'private', 'folder', 'link'] as const),
  ...([
    'workspace',
    'workspace-at',
    'keep-out',
    'keep-read',
    'git-notes',
    'proc',
    'dev',
    'chdir',
    'network-off',
  ] as const),
]);

const headLines = ({ name }: LaunchPlan, parent: number | undefined) => [
  PLAN_HEADER,
  ...(parent === undefined ? [] : [`parent ${parent}`]),
  planLine('name', bytesOfText(name)),
];

const commandLines = ({ env, command }: LaunchPlan, values: 'with-values' | 'hidden') => [
  ...sealedEntries(env).map(([name, value]) => planLine('set', name, values === 'hidden' ? HIDDEN : value.reveal())),
  ...(command.search === undefined ? [] : [planLine('search', ...command.search)]),
  planLine('command', command.path),
  ...command.argv.map((argument) => planLine('arg', argument)),
];

/** How the command is held, whether it is started once or through a shim. */
interface Containment extends Pick<LaunchPlan, 'isolation' | 'explicit' | 'bwrap' | 'places' | 'arch'> {
  readonly limits?: LaunchPlan['limits'];
  readonly supervise: boolean;
  readonly abstractSockets: 'cut off' | 'as outside';
}

export function containmentLines(held: Containment, values: 'with-values' | 'hidden'): string[] {
  const supervision = held.supervise ? ['supervise'] : [];
  if (held.isolation === 'filter') return ['isolation filter', ...supervision];
  return [
    `isolation ${held.isolation}`,
    ...supervision,
    ...(held.explicit === undefined ? [] : [textLine('explicit', held.explicit)]),
    ...(held.bwrap === undefined ? [] : [textLine('bwrap', held.bwrap)]),
    ...placeLines(held.places, values),
    ...lockdownLines(held),
  ];
}

function lockdownLines({ arch, abstractSockets, limits = [] }: Containment): string[] {
  return [
    ...(arch === undefined ? [] : [seccompLine(arch)]),
    ...(abstractSockets === 'cut off' ? ['landlock-scope'] : []),
    'limit core 0',
    ...limits.map(({ resource, value }) => `limit ${resource} ${value}`),
  ];
}

let seccomp: { readonly arch: string; readonly line: string } | undefined;

function seccompLine(arch: NonNullable<Machine['arch']>): string {
  if (seccomp?.arch !== arch)
    seccomp = { arch, line: `seccomp ${Buffer.from(seccompProgram(arch)).toString('base64')}` };
  return seccomp.line;
}

export function recordLines(records: Records | undefined): string[] {
  return [
    ...(records?.launch === undefined ? [] : [textLine('launch', records.launch)]),
    ...(records?.audit === undefined
      ? []
      : [textLine('audit', records.audit.file), textLine('audit-head', records.audit.head)]),
    ...(records === undefined ? [] : [textLine('warn-dir', records.stateFolder)]),
  ];
}

/** The lines of the plan. What is kept of a file is nobody else's business: people get `***` for its text. */
export function placeLines(operations: readonly Operation[], values: 'with-values' | 'hidden'): string[] {
  return values === 'hidden' ? operations.flatMap((operation) => linesOf(operation, false)) : wholeLines(operations);
}

const wholeLines = once((operations: readonly Operation[]) => operations.flatMap((one) => linesOf(one, true)));

function linesOf(operation: Operation, reveal: boolean): string[] {
  switch (operation.kind) {
    case 'root':
      return [`root ${operation.from}`];
    case 'show':
    case 'hide':
    case 'keep-out':
    case 'keep-read':
    case 'come-back':
    case 'save':
      return operation.paths.length === 0 ? [] : [`# ${operation.why}`, textLine(operation.kind, ...operation.paths)];
    case 'read':
    case 'write':
    case 'try-read':
    case 'try-write':
      return [textLine(operation.kind, operation.path, ...optional(operation.target))];
    case 'write-project':
      return [textLine('write-project', operation.path, ...operation.aside)];
    case 'private':
      return [textLine('private', operation.path, operation.mode, ...optional(operation.bytes))];
    case 'changes':
      return [textLine('changes', operation.path, String(operation.days), String(operation.bytes))];
    case 'kept':
      return [textLine('kept', operation.path, operation.policy)];
    case 'link':
      return [textLine('link', operation.path, operation.text)];
    case 'data':
    case 'try-data':
      return [planLine(operation.kind, bytesOfText(operation.path), reveal ? operation.text : HIDDEN)];
    case 'workspace':
      return [textLine('workspace', operation.path, operation.mode)];
    case 'dev':
      return [textLine('dev', ...optional(operation.bytes))];
    case 'ipc-host':
      return ['ipc host'];
    case 'network-off':
      return ['network off'];
    case 'network-names':
      return [
        'network names',
        ...(operation.ports.length === 0 ? [] : [textLine('listen', ...operation.ports.map(String))]),
        ...operation.local.map(({ address, bits }) => textLine('local', address, String(bits))),
        ...(operation.socket === undefined ? [] : [textLine('socket', operation.socket)]),
        ...outsideLines(operation.outside, reveal),
      ];
    case 'certificates':
      return [planLine('certificates', operation.text, ...operation.bundles.map(bytesOfText))];
    case 'show-programs':
    case 'proc':
    case 'run':
    case 'mention':
      return [operation.kind];
    default:
      return [textLine(operation.kind, operation.path)];
  }
}

const outsideLines = (outside: Outside, reveal: boolean) =>
  'at' in outside
    ? [textLine('outside-at', outside.at)]
    : [textLine('outside', ...outside.words), planLine('outside-task', reveal ? outside.task : HIDDEN)];

const optional = (field: string | number | undefined) => (field === undefined ? [] : [String(field)]);

/** One field of a plan line (docs/plan-format.md). */
function planField(bytes: Bytes): string {
  if (!NEEDS_ESCAPE.test(bytes)) return bytes === '' ? '\\e' : bytes;
  return bytes.replace(/[\x00-\x20\x7f\\]/g, escapeByte);
}

const NEEDS_ESCAPE = /[\x00-\x20\x7f\\]/;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ' ': '\\s',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};

function escapeByte(byte: string): string {
  return SHORT_ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

export function planLine(word: string, ...fields: readonly Bytes[]): string {
  return [word, ...fields.map(planField)].join(' ');
}

export const textLine = (word: string, ...fields: readonly string[]) => planLine(word, ...fields.map(bytesOfText));

const MEANINGS: Readonly<Record<string, string>> = { s: ' ', t: '\t', n: '\n', r: '\r', '\\': '\\', e: '' };

/** The bytes a field that `planField` wrote stands for. */
export function bytesOfField(field: string): Bytes {
  return field.replace(/\\(x([0-9a-f]{2})|.)/g, (_, letter: string, hex: string | undefined) =>
    hex === undefined ? (MEANINGS[letter] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  ) as Bytes;
}
