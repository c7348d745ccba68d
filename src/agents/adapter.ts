import type { Bytes } from '../host/bytes.ts';
import type { OUTPUT_FORMATS } from '../policy/config/shape.ts';

/** How an agent writes what it does: plain text, or one JSON event a line in the words of the agent named. */
export type Format = (typeof OUTPUT_FORMATS)[number];

/** What is to be done. Texts are byte strings, so that nothing is lost that is not UTF-8. */
export interface CommandRequest {
  readonly prompt: Bytes;
  readonly model?: Bytes | undefined;
  readonly workdir: Bytes;
  /** Nobody is there to be asked, so the agent may use its tools without asking. */
  readonly unasked: boolean;
  /** Whether the agent will find this variable. */
  readonly has: (name: string) => boolean;
  /** The value of one of the adapter's addresses, which carry no credentials. */
  readonly address: (name: string) => string | undefined;
}

export interface AgentCommand {
  /** What follows the program's name. */
  readonly args: readonly string[];
  /** The prompt, where it goes over stdin: no length limit, no taking it for a flag, nothing in a process list. */
  readonly stdin?: Bytes;
}

/** An agent as data. It starts nothing: one path seals and launches for all of them. */
export interface Adapter {
  readonly name: string;
  /** Where it is described: `built-in`, or a place in cordon.toml. */
  readonly origin: string;
  readonly program: string;
  readonly install: string;
  /** Credentials it gets, by their exact names. */
  readonly extraKeys: readonly string[];
  /** Addresses it may be sent to; refused when the value carries a credential. */
  readonly addresses: readonly string[];
  /** Where its services are: what `--net own` and `@own` stand for. */
  readonly hosts?: readonly string[];
  /** Settings that are no credentials. */
  readonly settings: readonly string[];
  /** Keys that name a file, which it then can read. */
  readonly pathKeys?: readonly string[];
  /** Where only `from` is there, its value is given under `name` too. */
  readonly alias?: { readonly name: string; readonly from: string };
  /** Files in the home folder that hold its own log-in, hidden from everything else; it gets the real ones, to renew them. */
  readonly files: readonly string[];
  /** Its settings in the home folder: it reads them, and what it writes there is put aside, since they start programs. */
  readonly shown: readonly string[];
  /**
   * Where it keeps what was said: transcripts and logs, written through. Nothing that it runs or sources later, and no repository: those
   * are put aside and come back in the same workspace, like its settings.
   */
  readonly written: readonly string[];
  /**
   * Folders with one for each project, called like its path with dashes: only what was said in this one is written through. `aside` are
   * names in it that are read as instructions, and so are put aside.
   */
  readonly projects?: readonly { readonly folder: string; readonly aside: readonly string[] }[];
  /** Those of its files that are there only once someone is logged in. */
  readonly logInFiles?: readonly string[];
  /** Those of its keys that log it in; all that name a credential when left out. */
  readonly logInKeys?: readonly string[];
  /** What a person does to log in; undefined where there is nothing to log in to. */
  readonly logIn?: string;
  /** How it says that nobody is logged in. */
  readonly notLoggedIn?: RegExp;
  readonly format: Format;
  readonly model?: string;
  /** How it tells its version; undefined where there is none. */
  readonly version?: readonly string[];
  /** As root it refuses to work unasked, unless `sandboxMark` says that something else holds it. */
  readonly refusesUnaskedAsRoot?: boolean;
  /** Set to 1 as root behind the barrier. */
  readonly sandboxMark?: string | undefined;
  readonly command: (request: CommandRequest) => AgentCommand;
}

export type BuiltIn = Omit<Adapter, 'origin'>;

/** `--flag value` when there is one. */
export function option(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [flag, value];
}

export const when = (condition: boolean, ...words: readonly string[]): readonly string[] => (condition ? words : []);

/** The kernel takes no longer string as one argument, its closing NUL included. */
export const LONGEST_ARGUMENT = 131_071;
