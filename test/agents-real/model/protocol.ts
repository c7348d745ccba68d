/** What a request to a model asks for, whichever protocol it came in. */
export interface Asked {
  /** The tools the agent offers, by name, with the name of the parameter that takes a shell command. */
  readonly tools: readonly Tool[];
  /** It tells the result of a tool: the turn is nearly over. */
  readonly hasResult: boolean;
  /** What tools answered so far, where the protocol is read that far. */
  readonly results?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly parameters: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> };
}

export interface Call {
  readonly tool: string;
  readonly arguments: object;
}

/** What the model says: a call of a tool, or a last word. */
export type Answer = { readonly call: Call } | { readonly text: string };

export interface Event {
  readonly event?: string;
  readonly data: unknown;
}

export interface Protocol {
  readonly path: RegExp;
  readonly read: (body: never) => Asked;
  readonly write: (answer: Answer, model: string) => readonly Event[];
}

const DONE: Answer = { text: 'All done.' };

/** The shell tool of each agent, and how it takes a command. */
const SHELLS: Readonly<Record<string, (command: string) => object>> = {
  Bash: (command) => ({ command, description: 'look around' }),
  bash: (command) => ({ command, description: 'look around' }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  shell_command: (command) => ({ command }),
  exec_command: (cmd) => ({ cmd }),
  run_shell_command: (command) => ({ command, description: 'look around', is_background: false }),
};

/** What the model does about a request. */
export type Script = (asked: Asked) => Answer;

/** Calls the shell once, then ends. Requests without a shell are about titles and summaries. */
export function callShell(command: string): Script {
  return ({ tools, hasResult }) => {
    const shell = tools.find(({ name }) => Object.hasOwn(SHELLS, name));
    if (hasResult || shell === undefined) return DONE;
    return { call: { tool: shell.name, arguments: SHELLS[shell.name]?.(command) ?? {} } };
  };
}

/** Calls these tools one after the other, then ends. */
export function callInTurn(calls: readonly Call[]): Script {
  return ({ tools, results = [] }) => {
    const next = calls[results.length];
    return next === undefined || !tools.some(({ name }) => name === next.tool) ? DONE : { call: next };
  };
}
