import type { Folders } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import type { Policy } from '../policy/policy.ts';
import type { Limits } from './limits.ts';

/** `info`: calls and what they came to. `debug`: also the names of what is set. */
export type LogLevel = 'info' | 'debug';
/** Takes the lines that a session logs. Never a value of a secret. */
export type Log = (level: LogLevel, line: string) => void;

/** Whose session it is, where it works, and what it may. */
export interface SessionOptions {
  readonly user: string;
  /** The folder that is writable inside, as /workspace. */
  readonly workspace: string;
  /** A profile's name or file, or a policy; without one nothing is opened beyond a session's own ground. */
  readonly profile?: string | Policy;
  /** Where Cordon's folders and the sources of credentials are found; nothing of it reaches the sandbox by itself. */
  readonly env?: ParentEnv | Readonly<Record<string, string | undefined>>;
  /** Folders that hold skills, one folder each. */
  readonly skills?: readonly string[];
  readonly folders?: Folders;
  readonly log?: Log;
  readonly id?: string;
  /** `podman:IMAGE` or `docker:IMAGE`: each call runs in a container of its own. */
  readonly in?: string | undefined;
  readonly limits?: Partial<Limits>;
}

/** How one command of a session is run. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Bytes kept of stdout, and as many of stderr; what comes after is counted and dropped. */
  readonly maxOutput?: number;
  readonly onOutput?: (chunk: Buffer, stream: 'stdout' | 'stderr') => void;
  /** A file below the workspace, relative to it, that gets stdout and stderr as they come. */
  readonly outputFile?: string;
}

/** How the script of a skill is run. */
export interface SkillCallOptions extends CallOptions {
  readonly args?: readonly string[];
  readonly input?: string;
}

/** How a call ended, and what it printed. */
export interface CallResult {
  /** The command's own code, 128+n after death by signal n. */
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Which limit was hit, in words. */
  readonly limit?: string;
  /** What else whoever called should know. */
  readonly note?: string;
  readonly durationMs: number;
  /** All that was written to stdout and stderr, what was cut off included. */
  readonly outputBytes: number;
}

/** A skill that a session has found. */
export interface Skill {
  readonly name: string;
  /** `my-skill` is the tool `skill_my_skill`. */
  readonly toolName: string;
  readonly description: string;
  readonly kind: 'script' | 'instructions';
  readonly folder: string;
  /** The entry script, relative to the skill's folder. */
  readonly script?: string;
  /** What SKILL.md says after its head. */
  readonly body?: string;
}

/** Configuration and folders: each call gets a sandbox of its own. */
export interface Session {
  readonly id: string;
  readonly user: string;
  readonly workspace: string;
  /** The workspace is no folder of this machine. */
  readonly isElsewhere?: boolean;
  readonly skills: readonly Skill[];
  readonly variableNames: readonly string[];
  readonly limits: Limits;
  /** Which hosts can be reached, in words for whoever uses it. */
  readonly reach: string;
  bash(command: string, options?: CallOptions): Promise<CallResult>;
  runSkill(name: string, options?: SkillCallOptions): Promise<CallResult>;
  close(): Promise<void>;
}
