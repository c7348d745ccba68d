import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { TOOL_BASES } from '../../policy/config/shape.ts';
import { nearest } from '../../policy/nearest.ts';
import { Pattern } from '../../policy/pattern.ts';
import { presetPatterns } from '../../policy/presets/presets.ts';
import { addAllow, addDeny, resetEnv, setEnvBase, type ToolEdit } from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import { toolSetup } from '../../tools/setup.ts';
import { hasEnvPolicy, hasFsPolicy, hasPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { type Context, showWarnings } from '../context.ts';
import {
  flagValues,
  hasFlag,
  JSON_FLAG,
  type ParsedArguments,
  parseArguments,
  textValue,
  unknownWord,
  usageError,
} from '../flags.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection, warnAboutTool } from './tool-report.ts';

const FLAGS = [JSON_FLAG, { name: '--except', value: 'PAT', many: true, help: '' }];
const ACTIONS = ['list', 'base', 'allow', 'deny', 'reset'] as const;

export function configureEnv(target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: FLAGS });
  const edit = editOf(parsed);
  const setup = toolSetup(context.env);
  if (edit === undefined) show(toolNamed(setup, target), parsed, context);
  else {
    const before = toolNamed(setup, target);
    const { target: found, outcome } = configureTool(setup, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool, parsed, context);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(setup, context);
    warnAboutKeptExceptions(before, parsed, context);
  }
  warnAboutProtection(setup, context);
  return 0;
}

function editOf(parsed: ParsedArguments): ToolEdit | undefined {
  const [action = 'list', ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  const except = patternTexts(flagValues(parsed, '--except'), '--except');
  if (except.length > 0 && action !== 'deny') throw usageError('--except belongs to env deny');
  switch (action) {
    case 'list':
      return refuseWords(action, words, undefined);
    case 'base':
      return setEnvBase(baseOf(words));
    case 'allow':
      return addAllow(patternTexts(atLeastOne(action, words), 'env allow'));
    case 'deny':
      return addDeny(patternTexts(atLeastOne(action, words), 'env deny'), except);
    case 'reset':
      return refuseWords(action, words, resetEnv);
    default:
      throw unknownWord('env', action, ACTIONS);
  }
}

export function refuseWords<T>(action: string, words: readonly Bytes[], otherwise: T): T {
  if (words.length > 0) throw usageError(`${action} takes no words`);
  return otherwise;
}

function atLeastOne(action: string, words: readonly Bytes[]): readonly Bytes[] {
  if (words.length === 0)
    throw usageError(
      `${action} needs at least one`,
      "for example: '*TOKEN*', in quotes so that the shell leaves it alone",
    );
  return words;
}

function baseOf([base, ...more]: readonly Bytes[]): string {
  const known: readonly string[] = TOOL_BASES;
  if (base !== undefined && known.includes(base) && more.length === 0) return base;
  const near = base === undefined ? undefined : nearest(base, known);
  throw usageError(
    `base takes one of ${known.join(', ')}`,
    near === undefined || near === base ? undefined : `did you mean ${near}?`,
  );
}

/** Checked before anything is touched; the file holds text, so a pattern must be text. */
function patternTexts(words: readonly Bytes[], where: string): string[] {
  return words.map((word) => {
    Pattern.ofBytes(word, where);
    return textValue(word, 'a pattern in cordon.toml');
  });
}

/** The later call may have been meant to take the exceptions back, which it doesn't. */
function warnAboutKeptExceptions(before: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  if (parsed.words[0] !== 'deny' || hasFlag(parsed, '--except')) return;
  const kept = before.deny.filter(({ pattern, except }) => except.length > 0 && parsed.words.includes(pattern.source));
  showWarnings(
    kept.map(
      ({ pattern, except }) =>
        `${showBytes(pattern.source)} was denied before, except ${except.map(({ source }) => showBytes(source)).join(' ')}: the exceptions stay. To take them back: env reset, or edit cordon.toml`,
    ),
    context,
  );
}

function show(tool: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  context.out(hasFlag(parsed, '--json') ? `${JSON.stringify(envAsJson(tool), null, 2)}\n` : envText(tool));
}

/** The form is fixed: people and scripts read it. */
function envText(tool: ToolPolicy): string {
  const { name, base, allow, deny } = tool;
  const listed = base.preset === 'os-common' ? ` (${presetPatterns('os-common').join(' ')})` : '';
  return [
    `env policy for ${showText(name)}:`,
    `base : ${base.preset}${listed}`,
    `allow: ${orNone(allow.map(({ pattern }) => showBytes(pattern.source)))}`,
    `deny : ${orNone(deny.map(denyText))}`,
    ...(hasEnvPolicy(tool) ? [] : [withoutEnvPolicy(tool)]),
    '',
  ].join('\n');
}

function withoutEnvPolicy(tool: ToolPolicy): string {
  if (tool.in !== undefined) return 'no env policy — in its container the tool gets the full environment';
  return hasFsPolicy(tool)
    ? 'no env policy — the shim stays for the fs policy'
    : 'no policy — tool runs with full environment (symlink)';
}

function denyText({ pattern, except }: ToolPolicy['deny'][number]): string {
  const exceptions = except.map(({ source }) => showBytes(source)).join(' ');
  return showBytes(pattern.source) + (except.length === 0 ? '' : ` (except ${exceptions})`);
}

export const orNone = (texts: readonly string[]) => (texts.length === 0 ? '(none)' : texts.join(' '));

function envAsJson(tool: ToolPolicy): object {
  const text = ({ source }: { readonly source: Bytes }) => showBytes(source);
  return {
    tool: tool.name,
    base: tool.base.preset,
    allow: tool.allow.map(({ pattern }) => text(pattern)),
    deny: tool.deny.map(({ pattern, except }) => ({ pattern: text(pattern), except: except.map(text) })),
    policy: hasEnvPolicy(tool),
  };
}
