import { showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { nearest } from './nearest.ts';
import { Pattern } from './pattern.ts';
import type { AllowRule, Origin } from './policy.ts';
import { presetPatterns } from './presets/presets.ts';

/** Sets of names that an allow list may include as `@NAME`. */
const INCLUDABLE = ['proxy', 'terminal'] as const;

type Includable = (typeof INCLUDABLE)[number];

export const isPresetEntry = (entry: string) => entry.startsWith('@');

/**
 * The rules of `@proxy`: addresses, so a value with a credential in it is refused; and of `@terminal`: what people set to feel at
 * home in one, and where their certificates lie.
 */
export function presetRules(entry: string, origin: Origin): AllowRule[] {
  const name = entry.slice(1);
  if (!INCLUDABLE.includes(name as Includable)) throw unknownPreset(name, origin);
  return presetPatterns(name as Includable).map((pattern) => ({
    pattern: Pattern.parse(pattern),
    origin: `${origin} (${entry})`,
    ...(name === 'proxy' ? { plain: true } : {}),
  }));
}

function unknownPreset(name: string, where: Origin): CordonError {
  const near = nearest(name, INCLUDABLE);
  return new CordonError('policy', `there is no preset '@${showText(name)}' to allow`, {
    where,
    hint: near === undefined ? `known: ${INCLUDABLE.map((one) => `@${one}`).join(', ')}` : `did you mean @${near}?`,
  });
}

/** Whether a pattern asks for every name, or as good as: nothing in it tells one variable from another. */
export function asksForEverything({ needle, anyCase }: Pattern): boolean {
  return !/[A-Za-z0-9]/.test(anyCase === undefined ? needle : anyCase.replace(/\[!?\]?[^\]]*\]/g, ''));
}
