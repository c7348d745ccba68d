import { holdsKnownForm } from '../../decide/guard/index.ts';
import type { Bytes } from '../../host/bytes.ts';
import { below, distinct, isWithinAny, type Path, type PlaceFacts, pathsOf } from '../places/facts.ts';
import { cleanNpmrc, cleanPip, cleanYarnrc, gitText, isIdentity, keptOfGit, parseGit } from './ini.ts';
import { isPlainText, judge, refuse } from './judge.ts';
import { cleanKnownHosts, cleanPublicKey, cleanSshConfig, onlyCertificates } from './ssh.ts';
import { cleanToml } from './toml.ts';
import { cleanMaven } from './xml.ts';
import { cleanYaml } from './yaml.ts';

/**
 * Settings that hold log-ins among lines that programs need. Inside stands a copy without the log-ins: a registry that is missing would
 * send a package manager to the public one. This table is the one place that names what is read of a home for that.
 */
export interface SettingsKind {
  readonly what: string;
  /** Relative to a home; a `*` as the last part stands for every entry of the folder. */
  readonly places: readonly string[];
  /** Throws when it can't be understood: then nothing stands there. */
  readonly clean: (text: string) => string;
}

const SECRET_IN_KUBE = new Set([
  ...['token', 'tokenFile', 'password', 'username', 'client-key', 'client-key-data', 'client-certificate-data'],
  ...['auth-provider', 'env'],
]);

const cleanKube = (text: string) =>
  cleanYaml(text, (path, value) => {
    if (path.includes('certificate-authority-data')) return value;
    return path.some((name) => SECRET_IN_KUBE.has(name)) ? undefined : judge(path, value);
  });

const cleanGit = (text: string) => gitText(keptOfGit(parseGit(text)));
export const gitIdentityOf = (text: string) => gitText(keptOfGit(parseGit(text)).filter(isIdentity));

export const GIT_SETTINGS: SettingsKind = {
  what: "git's settings",
  places: ['.gitconfig', '.config/git/config'],
  clean: cleanGit,
};

export const SETTINGS: readonly SettingsKind[] = [
  GIT_SETTINGS,
  { what: "npm's settings", places: ['.npmrc', '.config/pnpm/rc'], clean: cleanNpmrc },
  { what: "Yarn's settings", places: ['.yarnrc'], clean: cleanYarnrc },
  { what: "Yarn's settings", places: ['.yarnrc.yml'], clean: (text) => cleanYaml(text, judge) },
  { what: "pip's settings", places: ['.config/pip/pip.conf', '.pip/pip.conf'], clean: cleanPip },
  { what: "conda's settings", places: ['.condarc'], clean: (text) => cleanYaml(text, judge) },
  { what: "gh's settings", places: ['.config/gh/config.yml'], clean: (text) => cleanYaml(text, judge) },
  {
    what: "Docker's settings",
    places: ['.docker/config.json', '.docker/contexts/meta/*/meta.json'],
    clean: cleanDocker,
  },
  { what: "kubectl's settings", places: ['.kube/config'], clean: cleanKube },
  { what: "cargo's settings", places: ['.cargo/config.toml', '.cargo/config'], clean: cleanToml },
  { what: "bun's settings", places: ['.bunfig.toml'], clean: cleanToml },
  { what: "Maven's settings", places: ['.m2/settings.xml'], clean: cleanMaven },
  { what: "ssh's settings", places: ['.ssh/config', '.ssh/config.d/*'], clean: cleanSshConfig },
  { what: 'the hosts that ssh knows', places: ['.ssh/known_hosts', '.ssh/known_hosts2'], clean: cleanKnownHosts },
  { what: 'public keys of ssh', places: ['.ssh/*.pub', '.ssh/allowed_signers'], clean: cleanPublicKey },
];

/** What a cleaner makes of a file that may be anything; undefined when it can't be understood. */
export function cleaned(text: string, clean: SettingsKind['clean']): string | undefined {
  try {
    const kept = isPlainText(text) ? clean(text) : undefined;
    // A credential that stands where nothing was judged, as a name for instance.
    return kept?.split('\n').some((line) => holdsKnownForm(line as Bytes)) === true ? undefined : kept;
  } catch {
    return undefined; // Not understood, nested too deeply, or no JSON at all.
  }
}

/** Files of a home that settings name and that hold certificates: without them a program trusts nobody. */
export function certificatesNamedIn(text: string, { homes }: PlaceFacts): Path[] {
  const [home] = homes;
  const named = text.match(/(?:~|\/)[^\s"'<>,;=]*\.(?:pem|crt|cer|cert|ca-bundle)\b/g) ?? [];
  const absolute = named.map((path) =>
    path.startsWith('~/') && home !== undefined ? below(home, path.slice(1)) : path,
  );
  return distinct(pathsOf(absolute)).filter((path) => isWithinAny(path, homes));
}

/** Files that git's settings take in, as git understands their names. */
export function gitIncludes(text: string, at: Path, { homes }: PlaceFacts): Path[] {
  const [home] = homes;
  const folder = at.slice(0, at.lastIndexOf('/'));
  const named = parseGit(text).filter(({ section, key }) => key === 'path' && /^include(?:if)?\b/.test(section));
  const paths = named.map(({ value = '' }) => {
    if (value.startsWith('~/') && home !== undefined) return `${home}${value.slice(1)}`;
    return value.startsWith('/') ? value : `${folder}/${value}`;
  });
  return distinct(pathsOf(paths)).filter((path) => isWithinAny(path, homes));
}

export { lookThrough } from './any.ts';
export {
  AMONG_INSTALLED,
  DEEPEST,
  DEEPEST_IN_CONFIG,
  isBackup,
  isFetched,
  isInConfig,
  isToolsSettings,
  LOOKED_THROUGH,
  MOST_FILES,
  MOST_IN_CONFIG,
  mayBeSettings,
  mayHoldClones,
} from './where.ts';
export { onlyCertificates };

/** Docker asks its helpers for every registry, also for public ones, and fails without them. */
const HELPERS = new Set(['credsStore', 'credHelpers', 'auths', 'HttpHeaders']);

/** Docker's settings without log-ins, and without what would ask for them. */
function cleanDocker(text: string): string {
  const tree = JSON.parse(text) as unknown;
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) refuse();
  return `${JSON.stringify(keptOf(tree, []), null, 2)}\n`;
}

function keptOf(node: unknown, path: readonly string[]): unknown {
  if (typeof node === 'string') return judge(path, node);
  if (Array.isArray(node)) return node.map((one) => keptOf(one, path)).filter((one) => one !== undefined);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => !HELPERS.has(key) && judge([key], '') !== undefined);
  return Object.fromEntries(kept.map(([key, one]) => [key, keptOf(one, [...path, key])]));
}
