import { isAbsolute, resolve } from 'node:path';
import { type Bytes, showText } from '../../host/bytes.ts';
import { TOOL_FS_BASES } from '../../policy/config/shape.ts';
import type { FsPreset } from '../../policy/policy.ts';
import { addPaths, type FsKey, resetFs, setFsBase, type ToolEdit } from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import { hasEnvPolicy, hasFsPolicy, hasPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { openWorkshop } from '../../tools/workshop.ts';
import type { Context } from '../context.ts';
import { hasFlag, JSON_FLAG, type ParsedArguments, parseArguments, textValue, usageError } from '../flags.ts';
import { nearest } from '../nearest.ts';
import { atLeastOne, orNone, refuseWords, unknownAction } from './tool-env.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection, warnAboutTool } from './tool-report.ts';

const ACTIONS = ['list', 'base', 'ro', 'rw', 'hide', 'reset'] as const;

const MEANING: Readonly<Record<FsPreset, string>> = {
  all: 'the host as it is',
  guarded: 'the host, with credentials and sockets hidden and start-up files read-only',
  workspace: 'the system read-only, a home and /tmp of its own, the working folder writable',
  minimal: 'the system read-only, and what is listed',
};

export function configureFs(target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG] });
  const edit = editOf(parsed);
  const shop = openWorkshop(context.env);
  if (edit === undefined) show(toolNamed(shop, target), parsed, context);
  else {
    const { target: found, outcome } = configureTool(shop, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool, parsed, context);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(shop, context);
  }
  warnAboutProtection(shop, context);
  return 0;
}

function editOf(parsed: ParsedArguments): ToolEdit | undefined {
  const [action = 'list', ...words] = [...parsed.words, ...(parsed.rest ?? [])];
  switch (action) {
    case 'list':
      return refuseWords(action, words, undefined);
    case 'base':
      return setFsBase(presetOf(words));
    case 'ro':
    case 'rw':
    case 'hide':
      return addPaths(action as string as FsKey, atLeastOne(action, words).map(pathText));
    case 'reset':
      return refuseWords(action, words, resetFs);
    default:
      throw unknownAction('fs', action as Bytes, ACTIONS);
  }
}

function presetOf([preset, ...more]: readonly Bytes[]): string {
  const known: readonly string[] = TOOL_FS_BASES;
  if (preset !== undefined && known.includes(preset) && more.length === 0) return preset;
  const near = preset === undefined ? undefined : nearest(preset, known);
  throw usageError(
    `base takes one of ${known.join(', ')}`,
    near === undefined || near === preset ? undefined : `did you mean ${near}?`,
  );
}

/** `~` stays as it is, so that the file fits another machine. */
function pathText(word: Bytes): string {
  const path = textValue(word, 'a path in cordon.toml');
  if (path === '') throw usageError('a path is empty');
  return isAbsolute(path) || path === '~' || path.startsWith('~/') ? path : resolve(path);
}

function show(tool: ToolPolicy, parsed: ParsedArguments, context: Context): void {
  const { preset, ro, rw, hide } = tool.fs;
  if (hasFlag(parsed, '--json')) {
    context.out(
      `${JSON.stringify({ tool: tool.name, base: preset, ro, rw, hide, policy: hasFsPolicy(tool) }, null, 2)}\n`,
    );
    return;
  }
  const paths = (list: readonly string[]) => orNone(list.map(showText));
  const none = hasEnvPolicy(tool)
    ? 'no fs policy — tool sees the filesystem as it is'
    : 'no policy — tool sees the filesystem as it is (symlink)';
  const lines = [
    `base : ${preset} (${MEANING[preset]})`,
    `ro   : ${paths(ro)}`,
    `rw   : ${paths(rw)}`,
    `hide : ${paths(hide)}`,
  ];
  context.out([`fs policy for ${showText(tool.name)}:`, ...lines, ...(hasFsPolicy(tool) ? [] : [none]), ''].join('\n'));
}
