import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Bytes, bufferOfBytes, bytesOfBuffer, bytesOfText, showBytes } from '../host/bytes.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { auditFile } from '../launch/audit.ts';
import { type Operation, PLACE_VARIABLES } from '../plan/places/index.ts';
import { containmentLines, type Machine, PLAN_HEADER, planLine, recordLines, withNetwork } from '../plan/plan.ts';
import { ruleLines } from '../plan/rule-lines.ts';
import type { Policy } from '../policy/policy.ts';
import { INSIDE_LINE } from './bin-entry.ts';
import { hasFsPolicy, hasNetworkPolicy, type ToolPolicy } from './tool-policy.ts';

interface ShimInput {
  readonly tool: ToolPolicy;
  readonly policy: Policy;
  /** The real tool. */
  readonly command: Bytes;
  readonly launcher: string;
  readonly machine: Machine;
  readonly places: readonly Operation[];
  readonly config: { readonly path: string; readonly file: BigIntStats };
  /** What copies were made of; undefined: not there, or not to be read. */
  readonly settings: ReadonlyMap<string, BigIntStats | undefined>;
  readonly state: string;
  readonly env: ParentEnv;
  /** The command that writes this shim anew. */
  readonly rebuild: readonly string[];
}

/** Kept for the rebuild: where things lie. What else names credentials and sockets matters only where they are hidden. */
const PLACES = ['CORDON_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'PATH'];

/** Where it appears when it is installed later. */
const USUAL_BUBBLEWRAP = '/usr/bin/bwrap';

/** A shim is the plan itself: whoever reads it knows everything about what it does. */
export function shimText(input: ShimInput): string {
  const { tool, policy, command, places, machine } = input;
  return [
    `#!${input.launcher}`,
    PLAN_HEADER,
    line('name', tool.name),
    line('debug-head', debugHead(tool)),
    ...ruleLines(policy),
    planLine('command', command),
    planLine('arg', nameToRunBy(tool.name, command)),
    'append-args',
    ...containmentLines(
      {
        isolation: 'auto',
        supervise: false,
        explicit: whyBarrier(tool),
        bwrap: machine.bwrap,
        places: withNetwork(places, policy.network),
        arch: machine.arch,
        abstractSockets: hasFsPolicy(tool) ? 'cut off' : 'as outside',
      },
      'with-values',
    ),
    ...recordLines(recordsOf(input)),
    ...stalenessLines(input),
    'end',
    '',
  ].join('\n');
}

function whyBarrier(tool: ToolPolicy): string | undefined {
  if (hasFsPolicy(tool)) return `${tool.name} has a filesystem policy`;
  return hasNetworkPolicy(tool) ? `${tool.name} has a network policy` : undefined;
}

/**
 * What a shim becomes whose policy was taken out of the file by hand: it starts the tool as it is, until `cordon tool apply` puts the
 * link back. The launcher that asked for it reads this very file next, so it can't be the link itself.
 */
export function passThroughText({
  tool,
  command,
  launcher,
  ...input
}: Omit<ShimInput, 'policy' | 'machine' | 'places' | 'state' | 'settings' | 'env'>): string {
  return passingText({
    ...{ launcher, ...input },
    name: line('name', tool.name),
    start: [planLine('command', command), planLine('arg', nameToRunBy(tool.name, command))],
  });
}

/**
 * A tool in a container is started by Cordon itself, which stays: what runs inside ends with it. So everything that the caller has goes
 * to Cordon, which decides about it there.
 */
export function insideText({
  tool,
  launcher,
  start,
  ...input
}: Pick<ShimInput, 'tool' | 'launcher' | 'config' | 'rebuild'> & { readonly start: readonly string[] }): string {
  const [program = '', ...args] = start;
  return passingText({
    ...{ launcher, ...input },
    name: line('name', tool.name) + INSIDE_LINE.trimEnd(),
    start: [line('command', program), ...['cordon', ...args].map((word) => line('arg', word))],
  });
}

/** A shim that lets everything through to what it starts. */
function passingText(given: {
  readonly launcher: string;
  readonly config: ShimInput['config'];
  readonly rebuild: ShimInput['rebuild'];
  readonly name: string;
  readonly start: readonly string[];
}): string {
  return [
    `#!${given.launcher}`,
    PLAN_HEADER,
    given.name,
    'allow *',
    ...given.start,
    'append-args',
    'isolation filter',
    ...sourceLines(given.config),
    ...packageLines(given.rebuild),
    ...rebuildLines(given.rebuild, PLACES),
    'end',
    '',
  ].join('\n');
}

function recordsOf({ state, command, policy }: ShimInput) {
  const head = { command: showBytes(command), policy: policy.origin, asked: policy.isolation };
  return { stateFolder: state, audit: { file: auditFile(state), head: JSON.stringify(head).slice(0, -1) } };
}

/** When the policy file or settings change or bubblewrap appears, the shim is written anew. */
function stalenessLines({ tool, config, settings, machine, rebuild, env }: ShimInput): string[] {
  return [
    ...sourceLines(config),
    ...[...settings].flatMap(([path, file]) =>
      file === undefined ? [line('expect', kindOf(path), path)] : sourceLines({ path, file }),
    ),
    ...packageLines(rebuild),
    ...(machine.bwrap === undefined ? [line('expect', kindOf(USUAL_BUBBLEWRAP), USUAL_BUBBLEWRAP)] : []),
    ...(tool.fs.preset === 'all' ? [] : [variablesLine(env)]),
    ...rebuildLines(rebuild, tool.fs.preset === 'all' ? PLACES : PLACE_VARIABLES),
  ];
}

/** Looked at by the launcher itself at each start: where programs lie, and where Cordon's own files do, which the shim says. */
const LOOKED_UP = ['PATH', 'CORDON_HOME'];

/** What variables say about where things lie. Where they say something else at a start, the plan for it is made then. */
function variablesLine(env: ParentEnv): string {
  const names = PLACE_VARIABLES.filter((name) => !LOOKED_UP.includes(name));
  const hash = createHash('sha256');
  for (const name of names) {
    const value = env.get(bytesOfText(name));
    if (value !== undefined) hash.update(bufferOfBytes(`${name}=${value}\0` as Bytes));
  }
  return line('variables', hash.digest('hex'), ...names);
}

function kindOf(path: string): 'absent' | 'file' | 'dir' | 'other' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'dir' : 'other';
}

function sourceLines({ path, file: { dev, ino, size, mtimeNs } }: ShimInput['config']): string[] {
  return [line('source', path, ...[dev, ino, size, mtimeNs].map(String))];
}

/** What another version of Cordon would say may be more: the shim is written anew when the package is replaced. */
function packageLines([, program = '']: readonly string[]): string[] {
  const file = statSync(program, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? [] : sourceLines({ path: program, file });
}

function rebuildLines(rebuild: readonly string[], keep: readonly string[]): string[] {
  return [line('rebuild', ...rebuild), ...keep.map((name) => line('rebuild-keep', name))];
}

/** `[cordon shim: ruff] base='os-common' allow=['*RUFF*'] deny=['RUFF_SECRET_TOKEN']` */
function debugHead({ name, base, allow, deny }: ToolPolicy): string {
  const list = (texts: readonly string[]) => `[${texts.join(', ')}]`;
  const quoted = ({ pattern }: { readonly pattern: { readonly source: Bytes } }) => `'${showBytes(pattern.source)}'`;
  const denied = deny.map((rule) =>
    rule.except.length === 0
      ? quoted(rule)
      : `${quoted(rule)} except ${list(rule.except.map((pattern) => quoted({ pattern })))}`,
  );
  return `[cordon shim: ${name}] base='${base.preset}' allow=${list(allow.map(quoted))} deny=${list(denied)}`;
}

const line = (word: string, ...fields: readonly string[]) => planLine(word, ...fields.map(bytesOfText));

/** Programs that look themselves up on PATH by the name they were started with, to find their own libraries beside them. */
const FIND_THEMSELVES = [
  /^(python|pypy)\d*(\.\d+)*[a-z]?$/,
  /(^|-)(gcc|g\+\+|cpp|gfortran|gnat|gdc|gcov|ld|as|gdb)(-\d+(\.\d+)*)?$/,
  /^(tclsh|wish)\d*(\.\d+)*$/,
  /^(e|p|up|xe|lua|luahb)?(la)?tex$|^(pdf|lua|xe)(la)?tex$|^(bibtex|biber|dvips|kpsewhich|mf|mpost)$/,
  /^emacs/,
];

/**
 * What the tool finds as its own name: that of the command, which it shows in its messages. A program that finds its files by it would
 * find the shim, and gets its path instead.
 */
function nameToRunBy(name: string, command: Bytes): Bytes {
  const real = basename(realOf(command));
  return FIND_THEMSELVES.some((pattern) => pattern.test(real)) ? command : bytesOfText(name);
}

function realOf(path: Bytes): string {
  try {
    return bytesOfBuffer(realpathSync(bufferOfBytes(path), 'buffer'));
  } catch {
    return path;
  }
}
