// What Cordon is compared with, in speed and in what leaks. Each is given as its user types it before a command: once with its own
// defaults, once with a configuration that somebody who cares about credentials would write. $HOME and $PWD stand for themselves.
import { fileURLToPath } from 'node:url';

/** Hidden by every configured peer that can hide files. */
export const CREDENTIAL_FILES = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.kube',
  '.docker',
  '.netrc',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.cargo/credentials.toml',
  '.vault-token',
  '.local/share/keyrings',
  '.password-store',
];

/** Withheld by every configured peer that can withhold variables by name only. */
export const CREDENTIAL_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'DATABASE_URL',
  'DBUS_SESSION_BUS_ADDRESS',
  'GEMINI_API_KEY',
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GITLAB_TOKEN',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'NPM_TOKEN',
  'OPENAI_API_KEY',
  'SSH_AUTH_SOCK',
];

const PLAIN = ['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=$HOME', 'LANG=C.UTF-8'];
const HOST = ['--dev', '/dev', '--proc', '/proc', '--unshare-pid', '--die-with-parent'];
const OWN_PLACES = ['--tmpfs', '/tmp', '--tmpfs', '/run', '--tmpfs', '$HOME', '--bind', '$PWD', '$PWD'];
const beside = (name) => fileURLToPath(new URL(`peers/${name}`, import.meta.url));
const denied = CREDENTIAL_FILES.map((path) => `"~/${path}"="deny"`).join(',');

/**
 * `program` is looked for by `find`; `default` and `configured` are what stands between it and the command;
 * `inOtherHome` takes its place where HOME isn't the user's home of the password file.
 * @typedef {{ id: string, title: string, program?: string, version: string[], default: string[], configured: string[],
 *   needs: string, note: string, environment?: Record<string, string>, inOtherHome?: string }} Peer
 * @type {readonly Peer[]}
 */
export const PEERS = [
  {
    id: 'nothing',
    title: 'nothing',
    version: [],
    default: [],
    configured: [],
    needs: 'nothing',
    note: 'The command as the shell starts it.',
  },
  {
    id: 'env',
    title: 'env -i',
    program: 'env',
    version: ['--version'],
    default: ['-i'],
    configured: ['-i', ...PLAIN],
    needs: 'coreutils',
    note: 'An environment built from empty and nothing else. By default not even PATH; configured with what most commands need.',
  },
  {
    id: 'bwrap',
    title: 'bubblewrap',
    program: 'bwrap',
    version: ['--version'],
    default: ['--bind', '/', '/', ...HOST, '--'],
    configured: [
      ...[
        '--ro-bind',
        '/',
        '/',
        ...HOST,
        '--unshare-all',
        '--new-session',
        ...OWN_PLACES,
        '--chdir',
        '$PWD',
        '--clearenv',
      ],
      ...PLAIN.flatMap((setting) => ['--setenv', ...setting.split('=')]),
      '--',
    ],
    needs: 'bubblewrap (apt), unprivileged user namespaces',
    note: 'A building block without defaults of its own: the host as it is with own processes; configured as its manual shows it, read-only with an empty home, an empty environment and no network.',
  },
  {
    id: 'firejail',
    title: 'firejail',
    program: 'firejail',
    inOtherHome: beside('firejail'),
    version: ['--version'],
    default: ['--quiet'],
    configured: [
      ...['--quiet', '--net=none', '--private-dev', '--dbus-user=none', '--dbus-system=none'],
      ...['--ipc-namespace', '--read-only=$HOME', '--read-write=$PWD'],
      ...CREDENTIAL_FILES.map((path) => `--blacklist=$HOME/${path}`),
      ...CREDENTIAL_VARIABLES.map((name) => `--rmenv=${name}`),
    ],
    needs: 'firejail (apt), which is setuid root',
    note: 'Its profiles speak of the home in the password file, not of $HOME. For root it takes a profile for servers, with a /tmp of its own.',
  },
  {
    id: 'srt',
    title: 'srt',
    program: 'srt',
    version: ['--version'],
    default: ['--'],
    configured: ['--settings', beside('srt-settings.json'), '--'],
    needs:
      '@anthropic-ai/sandbox-runtime (npm), Node 22.12, bubblewrap, socat, ripgrep (apt), unprivileged user namespaces',
    note: 'By default no network and no writes, all reads; configured with the credential files and variables denied by name and the folder it is started in writable. Its proxies for allowed hosts start with every command.',
  },
  {
    id: 'codex',
    title: 'codex sandbox',
    program: 'codex',
    version: ['--version'],
    default: ['sandbox', '--'],
    configured: [
      ...[
        'sandbox',
        '-c',
        `permissions.guarded={extends=":workspace",filesystem={":slash_tmp"="read",":tmpdir"="read",${denied}}}`,
        '-P',
        'guarded',
      ],
      ...['-c', 'shell_environment_policy.inherit="core"', '--'],
    ],
    needs: '@openai/codex (npm); brings its own bubblewrap; unprivileged user namespaces',
    note: 'The native program, without the Node program that npm puts in front of it. By default read-only without network; configured to write in the folder it is started in, with the credential files denied and only the core of the environment. It refuses a CODEX_HOME under a folder for temporary files.',
    environment: { CODEX_HOME: 'codex-home' },
  },
];

/**
 * Those that can be told a list of hosts, or a credential that is not to be had inside: peers/named.mjs says it to them, for each probe anew.
 * @type {readonly { id: string, title: string, program: string, version: string[], variants: readonly string[], needs: string, note: string }[]}
 */
export const NAMED_PEERS = [
  {
    id: 'srt',
    title: 'srt',
    program: 'srt',
    version: ['--version'],
    variants: ['default', 'configured'],
    needs: '@anthropic-ai/sandbox-runtime (npm)',
    note: 'The hosts in allowedDomains; the credential masked with injectHosts, which has TLS terminated. Configured with ports, strictAllowlist, requireHostMatch, refuseOpaqueTunnels and tlsTerminate besides.',
  },
  {
    id: 'codex',
    title: 'codex sandbox',
    program: 'codex',
    version: ['--version'],
    variants: ['default'],
    needs: '@openai/codex (npm)',
    note: 'The hosts in domains of a permission profile, behind its own proxy (features.network_proxy). It has no documented word for a credential that the command does not hold.',
  },
  {
    id: 'varlock',
    title: 'varlock proxy run',
    program: 'varlock',
    version: ['--version'],
    variants: ['default', 'configured'],
    needs: 'varlock (npm)',
    note: 'The credential with @proxy(domain); configured with its port and substituteIn for the Authorization header alone. It has no barrier on Linux, so hosts are not tried: a command that goes past its proxy reaches everything, with the placeholder.',
  },
];
