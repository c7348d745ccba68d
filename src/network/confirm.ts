import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Terminal } from '../broker/settings.ts';
import type { Confirm } from '../broker/token-request.ts';
import { ask, say } from './pending.ts';

export interface ConfirmOptions {
  readonly terminal: Terminal | undefined;
  readonly state: string | undefined;
  readonly launch: string;
  readonly ms: number;
}

/** So often a command may ask in vain. */
const MOST_REFUSALS = 3;
/** For whom the person was too slow: the command may try again, once. */
const GOOD_FOR_MS = 300_000;

/**
 * Asks the person at the terminal of the launch. The command writes there too, and may read what is typed: so the person types a word that
 * the command has not seen, here or in another terminal.
 */
export function confirmer({ terminal, state, launch, ms }: ConfirmOptions): Confirm {
  let last: Promise<unknown> = Promise.resolve();
  let refusals = 0;
  const goodUntil = new Map<string, number>();

  async function isAgreed(agent: string, { name, port }: Host): Promise<boolean> {
    if (terminal === undefined || state === undefined || refusals >= MOST_REFUSALS) return false;
    const { id, word } = ask(state, { launch, subject: `a new log-in of ${agent}`, policy: '', name, port }, ms);
    const line = new TypedLine(terminal, id, (typed) => say(state, id, typed ? 'once' : 'no'));
    line.show(
      `cordon: the command wants to log in to ${agent} anew, at ${name}. If that is your wish, type ${id} and Enter, ` +
        `or \`cordon net allow ${id}\` in another terminal. Refused in ${Math.round(ms / 1000)} s.`,
    );
    const agreed = (await word) !== 'no';
    line.end(agreed ? 'cordon: agreed.' : 'cordon: refused.');
    if (!agreed) refusals++;
    return agreed;
  }

  /** A word is good for one log-in: it is kept only for whoever did not wait for it. */
  async function takeTurn(agent: string, host: Host, isWaiting: () => boolean): Promise<boolean> {
    const isGood = (goodUntil.get(agent) ?? 0) > Date.now();
    if (!isGood && !(await isAgreed(agent, host))) return false;
    if (isWaiting()) goodUntil.delete(agent);
    else if (!isGood) goodUntil.set(agent, Date.now() + GOOD_FOR_MS);
    return true;
  }

  return (agent, host, isWaiting) => {
    const turn = last.then(() => takeTurn(agent, host, isWaiting));
    last = turn.catch(() => undefined);
    return turn;
  };
}

type Host = Parameters<Confirm>[1];

const LOOKS_EVERY_MS = 50;
const LONGEST = 200;

/** What somebody types at a terminal that is not ours. A terminal that can't be opened leaves the other way to answer. */
class TypedLine {
  readonly #descriptor: number | undefined;
  readonly #timer: NodeJS.Timeout;
  #typed = '';

  constructor(terminal: Terminal, wanted: string, act: (isWanted: boolean) => void) {
    this.#descriptor = opened(terminal);
    this.#timer = setInterval(() => {
      this.#typed = (this.#typed + this.#read()).slice(-LONGEST);
      const lines = this.#typed.split(/[\r\n]+/);
      this.#typed = lines.pop() ?? '';
      if (lines.some((line) => line.trim() === wanted)) act(true);
      else if (lines.some((line) => /^\s*no?\s*$/i.test(line))) act(false);
    }, LOOKS_EVERY_MS);
  }

  show(text: string): void {
    try {
      if (this.#descriptor !== undefined) writeSync(this.#descriptor, `\r\n${text}\r\n`);
    } catch {
      // A terminal that takes nothing shows nothing: nobody agrees then.
    }
  }

  end(text: string): void {
    clearInterval(this.#timer);
    this.show(text);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #read(): string {
    if (this.#descriptor === undefined) return '';
    const room = Buffer.alloc(LONGEST);
    try {
      return room.toString('latin1', 0, readSync(this.#descriptor, room));
    } catch {
      return '';
    }
  }
}

function opened({ path, device }: Terminal): number | undefined {
  try {
    const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants;
    const descriptor = openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (isatty(descriptor) && fstatSync(descriptor).rdev === device) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch {
    return undefined;
  }
}
