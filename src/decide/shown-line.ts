import { bytesOfText } from '../host/bytes.ts';
import type { ProfileLine } from '../policy/profile/lines.ts';
import { inspect } from './guard/index.ts';

/** A line for people. A fixed value is no secret by right, but people put them there. */
export function withoutSecret(line: ProfileLine): ProfileLine {
  if (line.key !== 'environment.set_vars') return line;
  const equals = line.value.indexOf('=');
  const [name, value] = [line.value.slice(0, equals), line.value.slice(equals + 1)];
  return inspect(bytesOfText(name), bytesOfText(value)) === undefined ? line : { ...line, value: `${name}=***` };
}
