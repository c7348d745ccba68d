import { CordonError } from '../../host/errors.ts';

const LONGEST = 64;
const USER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]*$/;

/** A user's name becomes a folder's: ASCII only, so that no two that look alike are different, and nothing that leads elsewhere. */
export function checkUserName(name: string): string {
  if (typeof name === 'string' && name.length <= LONGEST && USER_NAME.test(name) && !name.includes('..')) return name;
  throw new CordonError('user', `${shown(name)} is not the name of a user`, {
    hint: `letters and digits of ASCII, _ . @ + and -, beginning with a letter, a digit or _, at most ${LONGEST}`,
  });
}

function shown(name: unknown): string {
  if (typeof name !== 'string') return 'what was given';
  return name.length > LONGEST ? `a name of ${name.length} characters` : `'${name}'`;
}
