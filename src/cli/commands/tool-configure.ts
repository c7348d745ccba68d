import type { Bytes } from '../../host/bytes.ts';
import { nearest } from '../../policy/nearest.ts';
import type { ToolEdit } from '../../tools/edits.ts';
import { configureTool, toolNamed } from '../../tools/operations.ts';
import { type ToolSetup, toolSetup } from '../../tools/setup.ts';
import { hasPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { type Context, showWarnings } from '../context.ts';
import {
  chosen,
  type FlagSpec,
  hasFlag,
  JSON_FLAG,
  type ParsedArguments,
  parseArguments,
  usageError,
} from '../flags.ts';
import { warnUnlessFirstOnPath } from './tool-path.ts';
import { warnAboutProtection, warnAboutTool } from './tool-report.ts';

/** One part of a tool's policy: how words change it, and how it is shown. */
export interface ConfigPart {
  readonly flags?: readonly FlagSpec[];
  /** Undefined: it is only shown. */
  readonly editOf: (parsed: ParsedArguments, setup: ToolSetup) => ToolEdit | undefined;
  readonly asJson: (tool: ToolPolicy) => object;
  readonly asText: (tool: ToolPolicy) => string;
  /** What else there is to say of a change; `before` is the policy without it. */
  readonly warnings?: (parsed: ParsedArguments, before: () => ToolPolicy) => readonly string[];
}

/** Changes one part of a tool's policy, shows what it is now, and says what this machine makes of it. */
export function configure(part: ConfigPart, target: Bytes, args: readonly Bytes[], context: Context): number {
  const parsed = parseArguments(args, { flags: [JSON_FLAG, ...(part.flags ?? [])] });
  const setup = toolSetup(context.env);
  const edit = part.editOf(parsed, setup);
  const show = (tool: ToolPolicy) =>
    context.out(hasFlag(parsed, '--json') ? `${JSON.stringify(part.asJson(tool), null, 2)}\n` : part.asText(tool));
  if (edit === undefined) show(toolNamed(setup, target));
  else {
    const warnings = part.warnings?.(parsed, () => toolNamed(setup, target)) ?? [];
    const { target: found, outcome } = configureTool(setup, target, edit);
    const tool = outcome.config.tools.get(found.name) as ToolPolicy;
    show(tool);
    warnAboutTool(tool, outcome, context);
    if (hasPolicy(tool)) warnUnlessFirstOnPath(setup, context);
    showWarnings(warnings, context);
  }
  warnAboutProtection(setup, context);
  return 0;
}

/** What the first word stands for, given the others; `list` where there is none. */
export type Actions<More extends readonly unknown[] = []> = Readonly<
  Record<string, (words: readonly Bytes[], ...more: More) => ToolEdit | undefined>
>;

export function act<More extends readonly unknown[]>(
  part: string,
  { words, rest = [] }: ParsedArguments,
  actions: Actions<More>,
  { more, unlisted = [] }: { readonly more: More; readonly unlisted?: readonly string[] },
): ToolEdit | undefined {
  const [action = 'list' as Bytes, ...others] = [...words, ...rest];
  return chosen(part, action, actions, unlisted)(others, ...more);
}

/** For a word that says everything by itself. */
export const alone = (action: string, edit: ToolEdit | undefined) => (words: readonly Bytes[]) => {
  if (words.length > 0) throw usageError(`${action} takes no words`);
  return edit;
};

export function oneOf(known: readonly string[], [base, ...more]: readonly Bytes[]): string {
  if (base !== undefined && known.includes(base) && more.length === 0) return base;
  const near = base === undefined ? undefined : nearest(base, known);
  throw usageError(
    `base takes one of ${known.join(', ')}`,
    near === undefined || near === base ? undefined : `did you mean ${near}?`,
  );
}

export const orNone = (texts: readonly string[]) => (texts.length === 0 ? '(none)' : texts.join(' '));
