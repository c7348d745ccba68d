import { decide } from '../../decide/decide.ts';
import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { targetText } from '../../policy/container-target.ts';
import { readBinEntry } from '../../tools/bin-entry.ts';
import { brokenWarnings, readConfig } from '../../tools/config/read.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { isRunnableTarget } from '../../tools/target.ts';
import { hasFsPolicy, hasPolicy, policyOf, type ToolPolicy } from '../../tools/tool-policy.ts';
import { type Context, print, showWarnings } from '../context.ts';
import { JSON_FLAG, parseArguments, usageError } from '../flags.ts';
import { homePath } from '../ui/places.ts';
import { table } from '../ui/table.ts';
import { warnUnlessFirstOnPath } from './tool-warnings.ts';

interface ToolRow {
  readonly tool: string;
  readonly path: string | null;
  readonly runs: 'direct' | 'shim' | 'container' | 'not enforced' | 'gone' | 'not installed';
  /** The container. */
  readonly in: string | null;
  readonly base: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly fs: string | null;
  /** Of the variables set now. */
  readonly passed: number;
  readonly blocked: number;
}

export function run(args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  if (parsed.words.length > 0) throw usageError('tool list takes no words');
  const setup = toolSetup(context.env);
  const config = readConfig(setup.config);
  const rows = [...config.tools.values()].map((tool) => rowOf(setup, tool));
  const inWords = () => (rows.length === 0 ? 'no tools yet; see cordon tool add\n' : toolTable(rows, context));
  print(parsed, context, rows, inWords);
  showWarnings(brokenWarnings(config), context);
  if (rows.length > 0) warnUnlessFirstOnPath(setup, context);
  return 0;
}

function rowOf(setup: ToolSetup, tool: ToolPolicy): ToolRow {
  const entry = readBinEntry(setup.bin, tool.name);
  const path = entry.kind === 'link' || entry.kind === 'shim' ? entry.path : undefined;
  const source = ({ pattern }: { readonly pattern: { readonly source: Bytes } }) => showBytes(pattern.source);
  return {
    tool: tool.name,
    in: tool.in === undefined ? null : targetText(tool.in),
    path: path === undefined ? null : showBytes(path),
    runs: stateOf(tool, entry.kind, path),
    base: tool.base.preset,
    allow: tool.allow.map(source),
    deny: tool.deny.map(source),
    fs: hasFsPolicy(tool) ? tool.fs.preset : null,
    ...countsOf(setup, tool, entry.kind === 'shim' || entry.kind === 'inside'),
  };
}

function stateOf(tool: ToolPolicy, kind: string, path: Bytes | undefined): ToolRow['runs'] {
  if (tool.in !== undefined) return kind === 'inside' ? 'container' : 'not enforced';
  if (path === undefined) return 'not installed';
  if (!isRunnableTarget(path)) return 'gone';
  if (kind === 'shim') return 'shim';
  return hasPolicy(tool) ? 'not enforced' : 'direct';
}

/** Through a link everything arrives. */
function countsOf({ env, homes }: ToolSetup, tool: ToolPolicy, filtered: boolean): { passed: number; blocked: number } {
  const decisions = decide(policyOf(tool, homes), env);
  const passed = filtered ? decisions.filter(({ verdict }) => verdict === 'pass').length : decisions.length;
  return { passed, blocked: decisions.length - passed };
}

const placeOf = (path: string | null, context: Context) => (path === null ? '-' : homePath(path, context));

function toolTable(rows: readonly ToolRow[], context: Context): string {
  const list = (texts: readonly string[]) => (texts.length === 0 ? '-' : texts.join(' '));
  const cells = rows.map(({ tool, path, in: container, runs, base, allow, deny, fs, passed, blocked }) => [
    ...[showText(tool), container === null ? placeOf(path, context) : showText(container), runs, base],
    ...[list(allow), list(deny), fs ?? '-', String(passed), String(blocked)],
  ]);
  const titles = ['TOOL', 'PATH', 'RUNS', 'BASE', 'ALLOW', 'DENY', 'FS', 'PASSED', 'BLOCKED'];
  return table({ titles, fold: ['PATH', 'ALLOW', 'DENY'], rows: cells }, context);
}
