import type { PlaceFacts } from './facts.ts';
import { below, type Path } from './path.ts';

export const npmrcPlaces = ({ homes }: PlaceFacts): Path[] => homes.map((home) => below(home, '.npmrc'));

/** `//host/:_authToken=…`, and the same for all hosts. */
const CREDENTIAL_KEY = /^(?:\/\/.*:.*|(?:.*:)?(?:_auth|_authToken|_password|username|key|cert)(?:\[\])?)$/i;
const URL_WITH_PASSWORD = /:\/\/[^/\s@]*:[^/\s@]*@/;
/** A reference to a variable tells no secret; whether the variable arrives is for the policy to say. */
const ONLY_A_REFERENCE = /^["']?\$\{\w+\??\}["']?$/;

/** An .npmrc without its log-ins. Registries, scopes, certificates and `ignore-scripts` stay, or npm would ask the wrong registry. */
export function npmrcWithoutTokens(text: string): string {
  return text
    .split('\n')
    .filter((line) => !holdsCredential(line))
    .join('\n');
}

function holdsCredential(line: string): boolean {
  const plain = line.trim();
  const equals = plain.indexOf('=');
  if (equals < 0 || /^[#;]/.test(plain)) return CREDENTIAL_WORD.test(plain) || URL_WITH_PASSWORD.test(plain);
  const [key, value] = [plain.slice(0, equals).trim(), plain.slice(equals + 1).trim()];
  if (URL_WITH_PASSWORD.test(value) || value.includes('PRIVATE KEY')) return true;
  return CREDENTIAL_KEY.test(key) && !ONLY_A_REFERENCE.test(value);
}

/** A comment may hold what once was a line. */
const CREDENTIAL_WORD = /_auth|_password|username/i;
