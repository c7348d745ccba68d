import { CordonError } from '../../host/errors.ts';
import type { Scheme } from '../../policy/credential.ts';
import type { CredentialRule } from '../../policy/policy.ts';
import { bitwarden } from './bitwarden.ts';
import { command } from './command.ts';
import { env } from './env.ts';
import { file } from './file.ts';
import { keyring } from './keyring.ts';
import { onePassword } from './one-password.ts';
import type { Request, SecretSource } from './source.ts';
import { vault } from './vault.ts';

const SOURCES: Readonly<Record<Scheme | 'cmd', SecretSource>> = {
  vault,
  keyring,
  file,
  env,
  cmd: command,
  op: onePassword,
  bw: bitwarden,
};

export interface SourceRequest {
  readonly source: SecretSource;
  readonly request: Request;
}

/** Which source a rule means and what it asks of it. Starts nothing. */
export function parseSource({ source, origin }: Pick<CredentialRule, 'source' | 'origin'>): SourceRequest {
  return typeof source === 'string' ? parseReference(source, origin) : parseCommand(source, origin);
}

function parseReference(reference: string, where: string): SourceRequest {
  const [scheme = '', rest] = splitScheme(reference);
  if (Object.hasOwn(SOURCES, scheme)) {
    const source = SOURCES[scheme as keyof typeof SOURCES];
    return { source, request: source.parse(rest, where) };
  }
  // What follows may be a value: a database's address for one.
  throw new CordonError('policy', `'${scheme}://…' is not a source of credentials: nothing is called ${scheme}://`, {
    where,
    hint: `the sources are ${Object.keys(SOURCES)
      .map((one) => `${one}://`)
      .join(', ')}; a bare name means vault://`,
  });
}

function splitScheme(reference: string): [string, string] {
  const at = reference.indexOf('://');
  return at === -1 ? ['vault', reference] : [reference.slice(0, at), reference.slice(at + 3)];
}

function parseCommand(words: readonly string[], where: string): SourceRequest {
  const good = words.length > 0 && words[0] !== '' && words.every((word) => !word.includes('\0'));
  if (!good)
    throw new CordonError('policy', 'a command needs at least its program, and no word may hold a NUL', { where });
  return { source: command, request: { label: `command ${words[0]}`, parts: words } };
}
