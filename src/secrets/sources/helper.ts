import type { Secret } from '../secret.ts';
import { secretOf } from '../value.ts';
import { type HelperResult, Unavailable } from './source.ts';

export interface HelperWords {
  readonly program: string;
  /** Where to get the program when it is not installed. */
  readonly install: string;
  /** What the program said, as we understand it. */
  readonly explain: (stderr: string, code: number) => Unavailable;
}

/** What a helper printed as a secret, or why there is none. */
export function secretFrom(result: HelperResult, words: HelperWords): Secret {
  const { stdout } = finished(result, words);
  if (stdout.length === 0 || stdout.equals(NEWLINE)) throw new Unavailable(`${words.program} printed nothing`);
  if (stdout.includes(0))
    throw new Unavailable(`${words.program} printed binary data`, 'have it print text, for example base64');
  return secretOf(stdout);
}

const NEWLINE = Buffer.from('\n');

export function finished(result: HelperResult, { program, install, explain }: HelperWords): { stdout: Buffer } {
  switch (result.outcome) {
    case 'exited':
      if (result.code === 0) return result;
      throw explain(result.stderr, result.code);
    case 'not-found':
      throw new Unavailable(`${program} is not installed, or not on PATH`, install);
    case 'untrusted':
      throw new Unavailable(result.error.message, result.error.hint);
    case 'not-runnable':
      throw new Unavailable(`${program} cannot be run`, 'it is not an executable file');
    case 'time':
      throw new Unavailable(
        `${program} gave no answer in time`,
        'it may be waiting for an answer: run it by hand once',
      );
    case 'too-much':
      throw new Unavailable(`${program} printed more than a credential can have`);
  }
}
