import { describe, expect, it } from 'vitest';
import { PROBES } from '../../prove/probes/index.ts';
import { type Escape, opensWithout, wayOut } from '../support/escape.ts';
import {
  BUBBLEWRAP_ALONE,
  FILTER,
  FS_ALL,
  HOST_DEV,
  HOST_IPC,
  HOST_NETWORK,
  moreLine,
  NO_LANDLOCK,
  NO_SECCOMP,
  noLine,
  type Off,
  WITHOUT_CORDON,
  withFlags,
  withPlan,
} from '../support/escape-off.ts';
import { through, throughCordon } from '../support/escape-run.ts';

const UNFILTERED = withPlan('the system call filter', NO_SECCOMP);
const NO_NETWORK_NAMESPACE = withPlan('the network namespace', HOST_NETWORK);
const NO_COPIES = withPlan('the copies that stand in for start-up files', noLine('data '));
const WHOLE_MACHINE = ['--fs', 'all'];
const NO_NET = ['--net', 'off'];
const NONE_TO_BEGIN_WITH = 'an ordinary user has none to begin with: see kernel/set-user-id';
const BELONGS_TO_ROOT = 'it belongs to root, which an ordinary user is not inside either';

/** The obvious way to clear an environment with bubblewrap leaves the old one readable in its first process. */
const CLEARED_BY_BUBBLEWRAP: Off = {
  without: 'bubblewrap itself being started with the sealed environment',
  run: (attempt) =>
    through(attempt, ['bwrap', '--unshare-pid', '--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--clearenv']),
};

/** The same hosts can be reached, and the command has the value itself. */
const INJECTED: Off = {
  without: 'the broker',
  run: (attempt) => {
    const values = Object.keys(attempt.brokered).flatMap((name) => ['--credential', `${name}=env://${name}`]);
    const net = attempt.hosts.flatMap((host) => ['--net', host]);
    return throughCordon({ ...attempt, flags: [...values, ...net] });
  },
};

/**
 * The probes of `cordon prove`, by the protection that holds them: each must fail with it and work without it. That they fail
 * under the policy that promises it is tried in test/prove/held.test.ts; here only where the flags are others.
 */
const WAYS: readonly (readonly [Escape, readonly string[]])[] = [
  [
    { off: FS_ALL },
    [
      ...['ssh', 'aws', 'kubernetes', 'registries', 'netrc', 'code-hosts', 'npm', 'mcp-settings'].map(inGroup('files')),
      ...['behind-symlinks', 'in-moved-folders', 'where-variables-say'].map(inGroup('files')),
      ...['env-files', 'settings-with-passwords', 'runtime-folder', 'editor-copies', 'log-ins-in-settings'].map(
        inGroup('files'),
      ),
      ...['user-manager', 'docker-in-a-machine', 'podman', 'container-builders'].map(inGroup('authority')),
      ...['vs-code', 'vs-code-main', 'jetbrains', 'editor-servers'].map(inGroup('authority')),
      ...['git-credential-store', 'git-credential-helper', 'git-credential-cache'].map(inGroup('authority')),
      ...['gpg-agent', 'secret-service', 'password-managers'].map(inGroup('authority')),
      ...['ssh-connections', 'ssh-connections-elsewhere', 'screen', 'terminal-emulators'].map(inGroup('authority')),
      ...['tmux', 'tmux-named', 'wayland', 'sound', 'x11', 'x11-cookie'].map(inGroup('authority')),
      ...['ssh', 'absent-ssh', 'git-configuration', 'absent-git-configuration'].map(inGroup('planting')),
      ...['git-pointers', 'workspace-hooks', 'local-bin', 'version-shims', 'search-path'].map(inGroup('planting')),
      ...['git-parts', 'git-elsewhere', 'git-steps', 'git-writes'].map(inGroup('planting')),
      ...['start-up-files', 'absent-start-up-files', 'files-taken-in', 'fish'].map(inGroup('planting')),
      ...['moved-zsh-files', 'replaced-start-up-file', 'user-units', 'autostart'].map(inGroup('planting')),
      ...['session-variables', 'tool-files', 'agent-settings', 'vim', 'tmux', 'tmux-xdg'].map(inGroup('planting')),
      ...['mounted-twice', 'remounting', 'unmounting'].map(inGroup('kernel')),
      ...['session-environment', 'login-environment', 'login-shell', 'read-at-start'].map(inGroup('refill')),
    ],
  ],
  [
    { off: NO_COPIES },
    [
      ...['login-shell-alone', 'sh-login', 'env-file-of-sh', 'zsh'].map(inGroup('refill')),
      ...['files-taken-in', 'behind-a-version-manager', 'among-programs'].map(inGroup('refill')),
    ],
  ],
  // The variable may pass by name: the socket stays out of reach all the same.
  [{ flags: ['--allow', 'SSH_AUTH_SOCK'], off: FS_ALL }, ['authority/ssh-agent', 'authority/ssh-agent-keys']],
  [{ flags: ['--allow', 'DBUS_SESSION_BUS_ADDRESS'], off: FS_ALL }, ['authority/session-bus']],
  [{ flags: ['--allow', 'DOCKER_HOST'], off: FS_ALL }, ['authority/docker']],
  [{ off: withPlan('landlock-scope', NO_LANDLOCK) }, ['authority/abstract-sockets', 'processes/signals-to-the-group']],
  [{ off: withPlan('limit core', noLine('limit core')) }, ['processes/core-dumps']],
  [
    { off: FILTER },
    [
      ...['command-lines', 'environ-by-thread', 'environ-of-ancestors', 'environ-of-others'].map(inGroup('processes')),
      ...['environ-of-parent', 'inspector', 'memory', 'memory-by-call', 'memory-writing'].map(inGroup('processes')),
      ...['open-files', 'root-and-cwd', 'tracing', 'signals', 'taking-descriptors'].map(inGroup('processes')),
      // The barrier has a user namespace, with a keyring of the user of its own.
      ...['user-keyring', 'second-proc', 'set-user-id'].map(inGroup('kernel')),
      ...['of-the-caller', 'given-to-read'].map(inGroup('descriptors')),
      'terminal/staying',
    ],
  ],
  [{ off: CLEARED_BY_BUBBLEWRAP }, ['processes/environ-of-launcher']],
  // Another host is out of reach by the list alone where no list names it.
  [{ off: INJECTED }, namesOf('broker', ['sent-elsewhere'])],
  [
    { off: BUBBLEWRAP_ALONE },
    [
      ...['file', 'deleted-file', 'beyond-1000', 'folder'].map(inGroup('descriptors')),
      ...['memory-file', 'socket', 'pipe'].map(inGroup('descriptors')),
      'processes/tracing-the-parent',
    ],
  ],
  // For an ordinary user bubblewrap's user namespace alone keeps other processes closed.
  [{ off: { root: BUBBLEWRAP_ALONE, 'cordon-test': WITHOUT_CORDON } }, ['descriptors/proc', 'descriptors/process']],
  [
    { off: { root: BUBBLEWRAP_ALONE, 'cordon-test': NONE_TO_BEGIN_WITH } },
    ['kernel/capabilities', 'kernel/packets', 'kernel/machine', 'kernel/file-handles'],
  ],
  [{ off: { root: FILTER, 'cordon-test': NONE_TO_BEGIN_WITH } }, ['kernel/entering-namespaces']],
  [{ off: { root: FILTER, 'cordon-test': 'many kernels leave it to root' } }, ['kernel/log']],
  [{ off: { root: BUBBLEWRAP_ALONE, 'cordon-test': BELONGS_TO_ROOT } }, ['kernel/proc-sys']],
  [
    { off: { root: withPlan('the read-only /sys', moreLine('write /sys')), 'cordon-test': BELONGS_TO_ROOT } },
    ['kernel/sys'],
  ],
  [{ off: { root: HOST_DEV, 'cordon-test': BELONGS_TO_ROOT } }, ['kernel/disks']],
  [{ off: HOST_DEV }, ['kernel/posix-shared-memory', 'terminal/reading-others', 'terminal/writing-to-others']],
  [{ off: HOST_IPC }, ['kernel/messages', 'kernel/posix-messages', 'kernel/shared-memory']],
  [{ off: UNFILTERED }, ['io-uring', 'userfaultfd', 'session-keyring', 'foreign-abi'].map(inGroup('kernel'))],
  // EPERM is the filter's answer. Anything else, success or not, comes from the terminal itself.
  [{ off: UNFILTERED, worked: (_, { stdout }) => /LEAKED|refused (?!-1\r?$)/m.test(stdout) }, ['terminal/typing']],
  [{ flags: NO_NET, off: NO_NETWORK_NAMESPACE }, ['network/loopback', 'network/exit-tcp', 'network/exit-dns']],
  [
    {
      flags: NO_NET,
      off: withPlan('the network namespace and landlock-scope', NO_LANDLOCK, HOST_NETWORK),
    },
    ['network/abstract-sockets'],
  ],
  // Cordon's own files are not the command's even where everything else is.
  [
    { flags: WHOLE_MACHINE, off: FILTER },
    ['planting/own-records', 'planting/own-shims', 'planting/absent-own-policies', 'files/own-records'],
  ],
  [
    { flags: WHOLE_MACHINE, off: withPlan("the lines about Cordon's own files", noLine('keep-')) },
    ['planting/own-policies'],
  ],
  [
    { off: WITHOUT_CORDON },
    [
      ...namesOf('environment', ['twice', 'odd-names', 'no-names', 'second-value', 'functions']),
      'injection/planted-programs',
    ],
  ],
  [{ off: WITHOUT_CORDON, worked: ({ canary }, { stdout }) => stdout.includes(canary) }, ['environment/second-value']],
  [
    { flags: ['--base', 'all', '--deny', 'API_TOKEN'], off: withFlags('--deny', '--base', 'all') },
    ['environment/twice'],
  ],
  [{ off: withFlags('the base os-common', '--base', 'all') }, ['environment/odd-names']],
  [{ flags: ['--base', 'all'], off: WITHOUT_CORDON }, ['environment/no-names', 'environment/functions']],
];

function inGroup(group: string): (name: string) => string {
  return (name) => `${group}/${name}`;
}

/** Every probe of a group but those that have a row of their own. */
function namesOf(group: string, others: readonly string[]): string[] {
  const own = new Set(others.map(inGroup(group)));
  return PROBES.map(({ id }) => id).filter((id) => id.startsWith(`${group}/`) && !own.has(id));
}

const known = new Map(PROBES.map((probe) => [probe.id as string, probe]));

for (const [way, ids] of WAYS) {
  for (const id of ids) {
    const probe = known.get(id);
    if (probe === undefined) continue;
    if (way.flags === undefined && way.worked === undefined) opensWithout(probe, way);
    else wayOut(probe, way);
  }
}

for (const preset of ['all', 'guarded', 'workspace', 'minimal']) {
  const probe = known.get('files/own-vault');
  if (probe !== undefined)
    wayOut({ ...probe, title: `${probe.title}, with the preset ${preset}` }, { flags: ['--fs', preset], off: FILTER });
}

const zsh = known.get('refill/zsh');
if (zsh !== undefined)
  wayOut({ ...zsh, title: `${zsh.title}, with the preset workspace` }, { flags: ['--fs', 'workspace'], off: FS_ALL });

describe('the table of ways out', () => {
  it('names probes that there are, each once', () => {
    const ids = WAYS.flatMap(([, named]) => named);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });
});
