import type { CommandEntry } from './commands.ts';
import type { FlagSpec } from './flags.ts';
import { POLICY_FLAGS } from './run-flags.ts';
import type { Definition } from './ui/definitions.ts';

/** In a usage line two spaces part the form from what it does. */
export function usageOf({ usage }: Pick<CommandEntry, 'usage'>): Definition[] {
  return usage.map((line) => {
    const [term = '', text = ''] = line.split(/ {2,}/);
    return { term, text };
  });
}

export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly Definition[];
}

/** What `[POLICY]` in a usage line stands for is a group of its own. */
export function flagGroups({ flags }: Pick<CommandEntry, 'flags'>): FlagGroup[] {
  const ofPolicy = POLICY_FLAGS.filter((flag) => flags.includes(flag));
  const own = flags.filter((flag) => !ofPolicy.includes(flag)).map(definitionOf);
  return [
    { title: 'Flags', flags: [...own, { term: '--help', text: 'show this' }] },
    ...(ofPolicy.length === 0 ? [] : [{ title: 'POLICY is any of', flags: ofPolicy.map(definitionOf) }]),
  ];
}

function definitionOf({ name, value, help }: FlagSpec): Definition {
  return { term: value === undefined ? name : `${name} ${value}`, text: help };
}

export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
