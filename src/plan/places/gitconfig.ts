import type { PlaceFacts } from './facts.ts';
import { below, type Path } from './path.ts';

export const gitconfigPlaces = ({ homes }: PlaceFacts): Path[] =>
  homes.flatMap((home) => [below(home, '.gitconfig'), below(home, '.config/git/config')]);

const URL_WITH_LOG_IN = /:\/\/[^/\s@"]+@/;
const CREDENTIAL_KEY = /token|passw|passphrase|secret|smtppass|api-?key|extraheader|cookie/i;

/**
 * Git's settings without what logs in: headers, tokens, addresses with a name or password in them, and all of a section that is
 * about such an address. Who commits, aliases and everything else stay. A key may stand on its section's line.
 */
export function gitconfigWithoutSecrets(text: string): string {
  let inSecretSection = false;
  let goesOn = false;
  return text
    .split('\n')
    .filter((line) => {
      const header = /^\s*\[/.test(line) && !goesOn;
      if (header) inSecretSection = URL_WITH_LOG_IN.test(line.slice(0, line.lastIndexOf(']') + 1));
      const drops = inSecretSection || goesOn || holdsCredential(line);
      goesOn = drops && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
      return !drops;
    })
    .join('\n');
}

function holdsCredential(line: string): boolean {
  const [key = '', ...rest] = line.replace(/^\s*\[[^\]]*\]/, '').split('=');
  return CREDENTIAL_KEY.test(key) || URL_WITH_LOG_IN.test(rest.join('=')) || URL_WITH_LOG_IN.test(key);
}

/** Whose commits these are, and nothing else of the settings. */
export function gitIdentityOf(text: string): string {
  const kept = [...gitconfigWithoutSecrets(text).matchAll(/^[ \t]*(\[[^\]]*\]|(?:name|email)[ \t]*=.*)$/gim)].map(
    ([, line = '']) => line,
  );
  const identity = kept.filter((line, at) => line.startsWith('[') || headerBefore(kept, at) === '[user]');
  const lines = identity.filter((line) => line === '[user]' || !line.startsWith('['));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const headerBefore = (lines: readonly string[], at: number) =>
  lines
    .slice(0, at)
    .findLast((line) => line.startsWith('['))
    ?.toLowerCase();
