/** What the system's own codes mean to someone who wanted to write. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EDQUOT: 'your disk quota is used up',
  EEXIST: 'something else stands there',
  EIO: 'the disk has an error',
  EISDIR: 'there is a folder of that name',
  ELOOP: 'there are links in the way',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'too many files are open on this machine',
  ENOENT: 'it is not there',
  ENOMEM: 'there is no memory left',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'something above it is not a folder',
  EPERM: 'you may not write there',
  EROFS: 'the filesystem is read-only',
};

/** Why something failed, by the code of the error; one that nobody has words for stands as it is. */
export function whyItFailed(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return Object.hasOwn(WORDS, code) ? (WORDS[code] as string) : `it failed (${code})`;
}

const OF_THE_MACHINE = ['EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EROFS'];

/** What a machine refuses to any program: no defect of ours, wherever it is met. */
export const isOfTheMachine = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && OF_THE_MACHINE.includes((error as NodeJS.ErrnoException).code ?? '');
