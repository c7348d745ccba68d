/** What would change an answer: one flag, the same as a line of a profile, and what it costs. */
export interface PossibleChange {
  /** What it brings about, to stand before the flag: `to show it`. */
  readonly effect: string;
  readonly flag: string;
  readonly profile?: string | undefined;
  /** Of credentials: what whoever gets it can do. */
  readonly gives?: string | undefined;
}

/** The answer to one question: what becomes of it, why, and what would change that. Never a value. */
export interface Answer {
  readonly kind: 'variable' | 'path' | 'socket' | 'host' | 'command';
  /** As it was asked for. */
  readonly name: string;
  readonly verdict: string;
  readonly reason: string;
  readonly rule?: string | undefined;
  readonly origin?: string | undefined;
  /** Nothing is there; what a command makes there would be put aside. */
  readonly aside?: boolean;
  /** What may have been meant instead. */
  readonly otherwise?: string | undefined;
  /** Undefined: nothing does. */
  readonly change?: PossibleChange | undefined;
}

interface Profiled {
  readonly section: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** A line of a profile in JSON, as it can be put in. */
export const profileLine = ({ section, key, values }: Profiled) =>
  `"${section}": { "${key}": [${values.map((value) => JSON.stringify(value)).join(', ')}] }`;

/** What whoever reads a credential can do with it, by the reason for which it is hidden. */
const BY_REASON: Readonly<Record<string, string>> = {
  'SSH keys and configuration': 'a log-in to every machine and repository that these keys open',
  'GPG keys': 'your signature, and what was encrypted to you',
  'password stores': 'every password in the store',
  '1Password': 'the log-in to the password manager',
  Bitwarden: 'the log-in to the password manager',
  'other password managers': 'the log-in to the password manager',
  'keyrings of the desktop': 'every password that programs keep in the keyring',
  AWS: 'everything that these accounts of AWS may do',
  'Google Cloud': 'everything that this account of Google Cloud may do',
  Azure: 'everything that this account of Azure may do',
  Kubernetes: 'everything that you may do in these clusters',
  Docker: 'a log-in to your registries, and the daemon, which is as good as root on this machine',
  'container daemons': 'the daemon, which is as good as root on this machine',
  'Git credentials': 'pushing to every repository that you can push to',
  'command lines of code hosts': 'your account there: repositories, releases, settings',
  'npm, Yarn and their like': 'publishing packages in your name',
  'Python packages': 'publishing packages in your name',
  'packages of other languages': 'publishing packages in your name',
  databases: 'the databases that these passwords open',
  'log-ins of coding agents': 'your account there, at your cost',
  'browser profiles': 'every web site you are logged in to',
  'mail and chat': 'your mail and messages, in your name',
  'histories, where secrets are typed': 'whatever was ever typed there, passwords among it',
  'variables for the whole session': 'the variables that the policy drops',
  'password hashes': 'passwords of this machine, to be guessed at leisure',
  'keys of this machine': 'the identity of this machine',
  'ids for newuidmap, which has no power inside': 'nothing: no set-uid program has power inside',
};

export const givenAway = (why: string) =>
  BY_REASON[why] ?? `whatever can be done with it (${why}), by this command and all that it starts`;
