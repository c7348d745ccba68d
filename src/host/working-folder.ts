import { CordonError } from './errors.ts';

/** Where this process works. A shell may stand in a folder that was removed meanwhile. */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CordonError('workdir', 'the working folder is gone: it was removed, or may not be entered any more', {
      cause,
      hint: 'go to a folder that exists, for example: cd ~',
    });
  }
}
