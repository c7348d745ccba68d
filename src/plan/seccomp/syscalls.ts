/** Numbers of a system call: x86-64 and arm64; an architecture that doesn't have it is left out. */
export interface Numbers {
  readonly x64?: number;
  readonly arm64?: number;
}

/** EPERM: a refusal that programs know how to take. ENOSYS: as on a kernel without it, so that they fall back. */
export type RefusedWith = 'EPERM' | 'ENOSYS' | 'EAFNOSUPPORT';

export interface RefusedCall extends Numbers {
  readonly name: string;
  readonly refusal: RefusedWith;
  readonly why: string;
}

const KEYRINGS = 'keys of the session outside: keyrings are in no namespace';
const MODULES = 'changes the kernel';
const SYSTEM = 'the business of the whole machine';
const SURFACE = 'a rich source of kernel flaws that ordinary tools do without';
const PAST_FILTER = 'what it carries out passes this filter unseen; programs fall back to ordinary calls';
const OBSOLETE = 'gone from kernels, or about to be';

/** Refused whatever the arguments. Everything not named in this folder is allowed. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  { name: 'add_key', x64: 248, arm64: 217, refusal: 'EPERM', why: KEYRINGS },
  { name: 'request_key', x64: 249, arm64: 218, refusal: 'EPERM', why: KEYRINGS },
  { name: 'keyctl', x64: 250, arm64: 219, refusal: 'EPERM', why: KEYRINGS },
  { name: 'pidfd_getfd', x64: 438, arm64: 438, refusal: 'EPERM', why: 'takes open files out of another process' },
  {
    name: 'open_by_handle_at',
    x64: 304,
    arm64: 265,
    refusal: 'EPERM',
    why: 'opens files past the mounts that hide them',
  },
  { name: 'init_module', x64: 175, arm64: 105, refusal: 'EPERM', why: MODULES },
  { name: 'finit_module', x64: 313, arm64: 273, refusal: 'EPERM', why: MODULES },
  { name: 'delete_module', x64: 176, arm64: 106, refusal: 'EPERM', why: MODULES },
  { name: 'kexec_load', x64: 246, arm64: 104, refusal: 'EPERM', why: MODULES },
  { name: 'kexec_file_load', x64: 320, arm64: 294, refusal: 'EPERM', why: MODULES },
  { name: 'bpf', x64: 321, arm64: 280, refusal: 'EPERM', why: SURFACE },
  { name: 'perf_event_open', x64: 298, arm64: 241, refusal: 'EPERM', why: SURFACE },
  { name: 'userfaultfd', x64: 323, arm64: 282, refusal: 'EPERM', why: SURFACE },
  { name: 'iopl', x64: 172, refusal: 'EPERM', why: SYSTEM },
  { name: 'ioperm', x64: 173, refusal: 'EPERM', why: SYSTEM },
  { name: 'swapon', x64: 167, arm64: 224, refusal: 'EPERM', why: SYSTEM },
  { name: 'swapoff', x64: 168, arm64: 225, refusal: 'EPERM', why: SYSTEM },
  { name: 'reboot', x64: 169, arm64: 142, refusal: 'EPERM', why: SYSTEM },
  { name: 'acct', x64: 163, arm64: 89, refusal: 'EPERM', why: SYSTEM },
  { name: 'quotactl', x64: 179, arm64: 60, refusal: 'EPERM', why: SYSTEM },
  { name: 'quotactl_fd', x64: 443, arm64: 443, refusal: 'EPERM', why: SYSTEM },
  {
    name: 'syslog',
    x64: 103,
    arm64: 116,
    refusal: 'EPERM',
    why: 'the log of the kernel, with what other programs did',
  },
  { name: 'vhangup', x64: 153, arm64: 58, refusal: 'EPERM', why: 'takes the terminal from everyone else' },
  { name: 'io_uring_setup', x64: 425, arm64: 425, refusal: 'ENOSYS', why: PAST_FILTER },
  { name: 'io_uring_enter', x64: 426, arm64: 426, refusal: 'ENOSYS', why: PAST_FILTER },
  { name: 'io_uring_register', x64: 427, arm64: 427, refusal: 'ENOSYS', why: PAST_FILTER },
  { name: 'lookup_dcookie', x64: 212, arm64: 18, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'nfsservctl', x64: 180, arm64: 42, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'uselib', x64: 134, refusal: 'ENOSYS', why: OBSOLETE },
  { name: '_sysctl', x64: 156, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'ustat', x64: 136, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'sysfs', x64: 139, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'create_module', x64: 174, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'get_kernel_syms', x64: 177, refusal: 'ENOSYS', why: OBSOLETE },
  { name: 'query_module', x64: 178, refusal: 'ENOSYS', why: OBSOLETE },
];

/** Refused by one argument, of which only the low 32 bits count: the kernel looks at no more. */
export interface GuardedCall extends Numbers {
  readonly name: string;
  readonly argument: number;
  readonly refusal: RefusedWith;
  /** Either these values are refused, or every value with a bit outside the mask, save one. */
  readonly test:
    | { readonly refused: readonly { readonly value: number; readonly name: string; readonly why: string }[] }
    | { readonly allowedBits: number; readonly except: number; readonly why: string };
}

const FAMILY = 'a protocol hardly anyone uses, loaded into the kernel by asking for it';
const family = (name: string, value: number, why = FAMILY) => ({ name, value, why });

export const GUARDED_CALLS: readonly GuardedCall[] = [
  {
    name: 'ioctl',
    x64: 16,
    arm64: 29,
    argument: 1,
    refusal: 'EPERM',
    test: {
      refused: [
        { name: 'TIOCSTI', value: 0x5412, why: 'types into the terminal, for the shell outside to read' },
        { name: 'TIOCLINUX', value: 0x541c, why: 'pastes into the console, and reads its screen' },
        { name: 'TIOCSETD', value: 0x5423, why: 'loads line disciplines into the kernel' },
      ],
    },
  },
  {
    // Asks for nothing but the same user, not even whether the process may be looked into: without files to open, the first process of
    // the sandbox could not look after git's settings at the end.
    name: 'prlimit64',
    x64: 302,
    arm64: 261,
    argument: 0,
    refusal: 'EPERM',
    test: { allowedBits: 0, except: 0, why: 'takes files and memory from another process; 0 is the caller itself' },
  },
  {
    name: 'personality',
    x64: 135,
    arm64: 92,
    argument: 0,
    refusal: 'EPERM',
    // PER_LINUX32, UNAME26, ADDR_NO_RANDOMIZE (debuggers) and ADDR_COMPAT_LAYOUT; 0xffffffff only asks.
    test: { allowedBits: 0x26_0008, except: 0xffff_ffff, why: 'old binary formats switch protections of memory off' },
  },
  {
    name: 'socket',
    x64: 41,
    arm64: 198,
    argument: 0,
    refusal: 'EAFNOSUPPORT',
    test: {
      refused: [
        family('AF_VSOCK', 40, 'leads to the host of a virtual machine, through no network namespace'),
        ...[
          family('AF_AX25', 3),
          family('AF_NETROM', 6),
          family('AF_X25', 9),
          family('AF_ROSE', 11),
          family('AF_DECnet', 12),
        ],
        ...[
          family('AF_RDS', 21),
          family('AF_TIPC', 30),
          family('AF_CAIF', 37),
          family('AF_ALG', 38),
          family('AF_NFC', 39),
        ],
        ...[family('AF_KCM', 41), family('AF_QIPCRTR', 42), family('AF_SMC', 43)],
      ],
    },
  },
];
