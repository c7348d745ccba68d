import { CordonError } from '../host/errors.ts';

/** Whether a name can be that of a file in the bin folder. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'a file cannot be called so';
  if (name.includes('/')) return 'it has a / in it';
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(name)) return 'it has control characters in it';
  if (name.startsWith('-') || name.startsWith('.')) return `it begins with ${name[0]}`;
  if (Buffer.byteLength(name) > 200) return 'it is too long';
  return name === 'cordon' ? 'a policy on Cordon itself would lock it out of its own files' : undefined;
}

export function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new CordonError('usage', `'${name}' cannot be a tool: ${problem}`);
}
