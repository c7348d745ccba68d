import type { TrialOutcome } from './outcome.ts';
import type { Scene } from './scene.ts';

/** The groups of the matrix, in its order, with what a reader is told about each. */
export const GROUPS = {
  environment: 'What the command finds in its own environment',
  processes: 'What other processes know: /proc, memory, tracing',
  descriptors: 'What the caller left open',
  authority: 'Daemons and agents that act for the user',
  files: 'Files with credentials',
  terminal: 'The terminal the user types into',
  injection: 'Code that variables bring into trusted programs',
  refill: 'Shells that fill the environment again',
  network: 'Ways out over the network',
  broker: 'The value of a credential that is brokered',
  planting: 'Writes that would run later, outside',
  kernel: 'Kernel interfaces that lead around the sandbox',
} as const;

export type Group = keyof typeof GROUPS;

/** What a policy can promise; each probe tries to break one of these. `nothing`: no policy of Cordon's claims to hold it. */
export const PROMISES = [
  'environment',
  'processes',
  'credentials',
  'planting',
  'own-files',
  'network',
  'broker',
  'home',
  'nothing',
] as const;

export type Promised = (typeof PROMISES)[number];

/** What is tried inside: a script of the shell or of Python, or a program, which prints what it gets hold of. */
export type Trial = { readonly sh: string } | { readonly python: string } | { readonly argv: readonly string[] };

/** One way to get at what a command should not have. The escape tests and `cordon prove` run the same ones. */
export interface Probe {
  /** `group/name`, which stays what it is: reports are compared by it. */
  readonly id: `${Group}/${string}`;
  readonly title: string;
  /** What it would give an attacker. */
  readonly gives: string;
  /** How the stand-in is planted and how it is tried, in words. */
  readonly planted: string;
  readonly tried: string;
  /** Where this way is described: an address, or a manual page. */
  readonly reference: string;
  readonly promise: Promised;
  /** Why it can't be tried on this machine or by this user, or undefined. */
  readonly inapplicable?: (scene: Scene) => string | undefined;
  /** Puts the secret, the socket or the process where the trial goes looking. */
  readonly plant?: (scene: Scene) => unknown;
  /** More variables of the caller. */
  readonly env?: (scene: Scene) => Readonly<Record<string, string>>;
  /** What stands before the launcher: a process that stays as the parent, or one that prepares something and becomes the launcher. */
  readonly starter?: (scene: Scene) => readonly string[];
  /** The starter needs to be root for a moment and becomes the user itself. */
  readonly starterIsOurs?: boolean;
  /** Variables of the caller that the policy brokers, each for a host; launchers without a broker pass them on as they do. */
  readonly brokered?: Readonly<Record<string, string>>;
  /** What a policy with a list of hosts names beside its own, as `--net` takes it: the probe tries to get elsewhere through it. */
  readonly hosts?: (scene: Scene) => readonly string[];
  readonly trial: (scene: Scene) => Trial;
  /** Whether it worked; else: the canary, or the word LEAKED, is in what the trial printed. */
  readonly worked?: (scene: Scene, outcome: TrialOutcome) => boolean;
}

export const groupOf = ({ id }: Probe): Group => id.slice(0, id.indexOf('/')) as Group;
