import { type Bytes, bytesOfBuffer } from '../host/bytes.ts';
import { Secret } from './secret.ts';
import { Unavailable } from './sources/source.ts';

/** The kernel takes no longer string in an environment: `NAME=value` with its closing NUL. */
const LONGEST_ENTRY = 131_072;

/** More than any entry can hold, so that whatever is longer is noticed and not read to its end. */
export const READ_LIMIT = LONGEST_ENTRY + 2;

/** Most tools end their output with a newline that is not part of the secret. */
function withoutLastNewline(value: Buffer): Buffer {
  return value.at(-1) === 0x0a ? value.subarray(0, -1) : value;
}

export function secretOf(value: Buffer): Secret {
  return new Secret(bytesOfBuffer(withoutLastNewline(value)));
}

/** What an environment cannot carry is no credential. */
export function checkedForTarget(secret: Secret, target: Bytes): Secret {
  const value = secret.reveal();
  if (value === '') throw new Unavailable('its value is empty', 'an empty value counts as unavailable');
  if (value.includes('\0'))
    throw new Unavailable('its value contains a NUL byte, which no environment variable can hold');
  if (target.length + value.length + 2 > LONGEST_ENTRY) {
    throw new Unavailable(
      `its value has more than ${LONGEST_ENTRY} bytes with its name, the most that the kernel passes in one variable`,
      'hand over the path of a file instead',
    );
  }
  return secret;
}
