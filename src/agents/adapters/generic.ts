import { type BuiltIn, LONGEST_ARGUMENT } from '../adapter.ts';

/** No agent at all: the prompt is a line for the shell, with an agent's policy and no key. It shows what an agent would find. */
export const generic: BuiltIn = {
  name: 'generic',
  program: 'sh',
  install: 'every Unix has one; check PATH',
  extraKeys: [],
  addresses: [],
  settings: [],
  files: [],
  shown: [],
  written: [],
  format: 'text',
  command: ({ prompt }) =>
    prompt.length > LONGEST_ARGUMENT ? { args: ['-s'], stdin: prompt } : { args: ['-c', '--', prompt] },
};
