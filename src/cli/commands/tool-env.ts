import { type Bytes, showBytes, showText } from '../../host/bytes.ts';
import { TOOL_BASES } from '../../policy/config/shape.ts';
import { Pattern } from '../../policy/pattern.ts';
import { presetPatterns } from '../../policy/presets/presets.ts';
import { addAllow, addDeny, resetEnv, setEnvBase } from '../../tools/edits.ts';
import { hasEnvPolicy, hasFsPolicy, type ToolPolicy } from '../../tools/tool-policy.ts';
import { EXCEPT_FLAG } from '../command-flags.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { type Actions, act, alone, type ConfigPart, oneOf, orNone } from './tool-configure.ts';

const ACTIONS: Actions<[except: readonly string[]]> = {
  list: alone('list', undefined),
  base: (words) => setEnvBase(oneOf(TOOL_BASES, words)),
  allow: (words) => addAllow(patternTexts(atLeastOne('allow', words), 'env allow')),
  deny: (words, except) => addDeny(patternTexts(atLeastOne('deny', words), 'env deny'), except),
  reset: alone('reset', resetEnv),
};

export const ENV: ConfigPart = {
  flags: [EXCEPT_FLAG],
  editOf: (parsed) => {
    const except = patternTexts(flagValues(parsed, EXCEPT_FLAG.name), EXCEPT_FLAG.name);
    const [action] = [...parsed.words, ...(parsed.rest ?? [])];
    if (except.length > 0 && action !== 'deny') throw usageError(`${EXCEPT_FLAG.name} belongs to env deny`);
    return act('env', parsed, ACTIONS, { more: [except] });
  },
  asJson: envAsJson,
  asText: envText,
  warnings: keptExceptions,
};

function atLeastOne(action: string, words: readonly Bytes[]): readonly Bytes[] {
  if (words.length === 0)
    throw usageError(
      `${action} needs at least one`,
      "for example: '*TOKEN*', in quotes so that the shell leaves it alone",
    );
  return words;
}

/** Checked before anything is touched; the file holds text, so a pattern must be text. */
function patternTexts(words: readonly Bytes[], where: string): string[] {
  return words.map((word) => {
    Pattern.ofBytes(word, where);
    return textValue(word, 'a pattern in cordon.toml');
  });
}

/** The later call may have been meant to take the exceptions back, which it doesn't. */
function keptExceptions(parsed: ParsedArguments, before: () => ToolPolicy): string[] {
  if (parsed.words[0] !== 'deny' || hasFlag(parsed, EXCEPT_FLAG.name)) return [];
  return before()
    .deny.filter(({ pattern, except }) => except.length > 0 && parsed.words.includes(pattern.source))
    .map(
      ({ pattern, except }) =>
        `${showBytes(pattern.source)} was denied before, except ${except.map(({ source }) => showBytes(source)).join(' ')}: the exceptions stay. To take them back: env reset, or edit cordon.toml`,
    );
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
