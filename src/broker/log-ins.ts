import { createHash } from 'node:crypto';
import { type Bytes, bytesOfText, textOfBytes } from '../host/bytes.ts';
import { tokenRule } from '../policy/broker-rule.ts';
import { type LogInName, type LogInToken, logInOf } from '../policy/log-ins.ts';
import { Secret } from '../secrets/secret.ts';
import type { Held } from './held.ts';
import type { Holdings } from './holdings.ts';
import { type LogInFields, type LogInFile, readLogIn, renewedFields, textAt, writeLogIn } from './log-in-file.ts';
import { inTurnIfPossible } from './log-in-turn.ts';
import { logInPlaceholder } from './placeholder.ts';
import { PutAway, putAway } from './put-away.ts';
import { Refused } from './say.ts';
import { isMarked } from './vaulted-log-in.ts';

/** A log-in of this launch, as the process outside is told of it; what it holds of it names its place in this list. */
export interface KeptLogIn {
  readonly agent: LogInName;
  /** The agent's own, or the one in the vault. */
  readonly file: string;
  /** What opens the one in the vault. */
  readonly key?: string | undefined;
}

export interface LogInsOptions {
  readonly kept: readonly KeptLogIn[];
  readonly holdings: Holdings;
  /** Where launches wait for each other; undefined: they don't. */
  readonly locks: string | undefined;
  /** For the person. */
  readonly say: (text: string) => void;
}

/** What a server answered: fields that hold tokens, or something else that is none of our business. */
export type Asked<Other> = { readonly fields: LogInFields } | { readonly other: Other };

/** What the command gets in its place. */
export type Given<Other> = { readonly body: Buffer; readonly again: boolean } | { readonly other: Other };

/** Sooner than this nobody needs other tokens than those that just came. */
const SOON_MS = 10_000;
const MOST_GENERATIONS = 16;

/**
 * The log-ins of a launch. A renewal happens in this order, one after the other, also among launches: 1. what somebody else renewed
 * meanwhile is taken over from the file; 2. the server is asked; 3. the new tokens are written to the file; 4. the command gets
 * placeholders for them. So they are never lost, whoever ends when, once the server has answered.
 */
export class LogIns {
  readonly #options: Omit<LogInsOptions, 'kept'>;
  readonly #states: State[];
  #last: Promise<unknown> = Promise.resolve();

  constructor({ kept, ...options }: LogInsOptions) {
    this.#options = options;
    this.#states = kept.map(
      (one, id) =>
        new State(
          id,
          one,
          options.holdings.held.filter(({ logIn }) => logIn?.id === id),
        ),
    );
  }

  /** For what the command holds. A placeholder that was replaced already gets what replaced it, and the server is not asked. */
  renew<Other>(asked: Held, ask: (value: string) => Promise<Asked<Other>>): Promise<Given<Other>> {
    const state = this.#states[asked.logIn?.id ?? -1] as State;
    return this.#alone(state, async () => {
      const current = state.token('refresh_token');
      const isSoon = Date.now() - state.renewedAt < SOON_MS;
      if (state.answer !== undefined && (asked.placeholder !== current?.placeholder || isSoon))
        return { body: state.bodyAgain(), again: true };
      this.#takeOver(state);
      const value = state.token('refresh_token')?.value ?? asked.value;
      return this.#given(state, await ask(value));
    });
  }

  /** A log-in that a person agreed to. */
  begin<Other>(agent: LogInName, ask: () => Promise<Asked<Other>>): Promise<Given<Other>> {
    const state = this.#states.find((one) => one.agent === agent) ?? new State(this.#states.length, { agent }, []);
    if (!this.#states.includes(state)) this.#states.push(state);
    return this.#alone(state, async () => this.#given(state, await ask()));
  }

  /** Nothing is under way any more, and what could not be written is tried once more. */
  async settled(): Promise<void> {
    await this.#last;
    for (const state of this.#states) if (state.isUnwritten && this.#isAsSeen(state)) this.#write(state);
  }

  #alone<T>(state: State, act: () => Promise<T>): Promise<T> {
    const { locks } = this.#options;
    const { file } = state;
    const turn = this.#last.then(() =>
      locks === undefined || file === undefined ? act() : inTurnIfPossible(locks, file, act),
    );
    this.#last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /** The file is where everybody looks: agents outside, other launches. What it has now counts, unless we know better. */
  #takeOver(state: State): void {
    const found = this.#fileOf(state);
    if (found === undefined) return;
    const value = textAt(found.fields, state.placeOf('refresh_token'));
    if (value === undefined) throw loggedOut(state);
    if (digestOf(value) === state.seen) return;
    for (const held of state.current()) {
      const text = textAt(found.fields, held.logIn?.at ?? '');
      if (text === undefined) continue;
      const next = putAway({ ...held, value: bytesOfText(text) });
      this.#options.holdings.replace(held, next);
      state.set(next);
    }
    state.seen = digestOf(value);
    state.isUnwritten = false;
  }

  /** Nobody logged in or out there meanwhile. */
  #isAsSeen(state: State): boolean {
    try {
      const found = this.#fileOf(state);
      const value = found === undefined ? undefined : textAt(found.fields, state.placeOf('refresh_token'));
      return found === undefined || (value !== undefined && digestOf(value) === state.seen);
    } catch {
      return false;
    }
  }

  #fileOf({ file, agent, key }: State): LogInFile | undefined {
    if (file === undefined) return undefined;
    const found = readUnlessBroken(file, key);
    if (found === 'absent' || (found !== undefined && isMarked(found.fields, agent))) throw loggedOut({ file, agent });
    return found;
  }

  #given<Other>(state: State, asked: Asked<Other>): Given<Other> {
    if ('other' in asked) return asked;
    const { holdings } = this.#options;
    const { tokens, answered } = logInOf(state.agent);
    const minted = tokens.flatMap((token) => {
      const text = token.field === undefined ? undefined : textAt(asked.fields, token.field);
      return text === undefined || text.length < SHORTEST || /[\x00-\x1f\x7f]/.test(text) ? [] : [{ token, text }];
    });
    if (!minted.some(({ token }) => token.field === 'access_token')) throw notUnderstood(state);
    const fresh: Held[] = [];
    for (const { token, text } of minted) fresh.push(heldFor(state, token, text, [...holdings.held, ...fresh]));
    const kept = fresh.map(putAway);
    state.add(kept, { expires_in: asked.fields.expires_in });
    this.#write(state);
    holdings.add(kept);
    for (const old of state.forgotten()) holdings.forget(old);
    const told = answered.flatMap((name) => (Object.hasOwn(asked.fields, name) ? [[name, asked.fields[name]]] : []));
    state.answer = {
      ...Object.fromEntries(told),
      ...Object.fromEntries(minted.map(({ token }, at) => [token.field, fresh[at]?.placeholder])),
    };
    return { body: state.bodyAgain(), again: false };
  }

  /** A file that can't be written is no reason to stop the agent; the person hears of it once. */
  #write(state: State): void {
    const { file, key, agent, renewal } = state;
    if (file === undefined) {
      this.#sayOnce(state, `the new log-in of ${agent} is good for this launch alone: it is written nowhere`);
      return;
    }
    state.isUnwritten = true;
    try {
      const found = readLogIn(file, key);
      if (isMarked(found.fields, agent)) throw new Error('the log-in was moved to the vault');
      const values = new Map(renewal.held.map(({ logIn, value }) => [logIn?.at ?? '', textOf(value)]));
      writeLogIn(file, renewedFields(found.fields, logInOf(agent), values, renewal.fields), found, key);
      state.isUnwritten = false;
      const written = values.get(state.placeOf('refresh_token'));
      state.seen = written === undefined ? state.seen : digestOf(written);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      this.#sayOnce(
        state,
        `the renewed log-in of ${agent} can't be written to ${file} (${why}): it is good for this launch; log in again afterwards`,
      );
    }
  }

  #sayOnce(state: State, text: string): void {
    if (!state.isTold) this.#options.say(text);
    state.isTold = true;
  }
}

function readUnlessBroken(file: string, key: string | undefined): LogInFile | 'absent' | undefined {
  try {
    return readLogIn(file, key);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : undefined;
  }
}

const SHORTEST = 8;
const textOf = (value: string) => textOfBytes(value as Bytes) ?? value;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** What is known of one log-in now. */
class State {
  readonly id: number;
  readonly agent: LogInName;
  readonly file: string | undefined;
  readonly #key: PutAway | undefined;
  /** By which the token is known again that was in the file when it was last looked at. */
  seen: string | undefined;
  isUnwritten = false;
  isTold = false;
  answer: LogInFields | undefined;
  renewedAt = Number.NEGATIVE_INFINITY;
  renewal: { readonly held: readonly Held[]; readonly fields: LogInFields } = { held: [], fields: {} };
  readonly #current: Map<string, Held>;
  readonly #generations: Held[][] = [];

  constructor(id: number, { agent, file, key }: Pick<KeptLogIn, 'agent'> & Partial<KeptLogIn>, held: Held[]) {
    this.id = id;
    this.agent = agent;
    this.file = file;
    this.#key = key === undefined ? undefined : new PutAway(key);
    this.#current = new Map(held.map((one) => [one.logIn?.at ?? '', one]));
    const refresh = this.token('refresh_token');
    this.seen = refresh === undefined ? undefined : digestOf(textOf(refresh.value));
  }

  get key(): string | undefined {
    return this.#key?.take();
  }

  placeOf(field: LogInToken['field']): string {
    return logInOf(this.agent).tokens.find((token) => token.field === field)?.at ?? '';
  }

  token(field: LogInToken['field']): Held | undefined {
    return this.#current.get(this.placeOf(field));
  }

  current(): Held[] {
    return [...this.#current.values()];
  }

  set(held: Held): void {
    this.#current.set(held.logIn?.at ?? '', held);
  }

  add(fresh: Held[], fields: LogInFields): void {
    const replaced = fresh.flatMap(({ logIn }) => this.#current.get(logIn?.at ?? '') ?? []);
    this.#generations.push(replaced);
    for (const held of fresh) this.set(held);
    this.renewal = { held: fresh, fields };
    this.renewedAt = Date.now();
  }

  /** What was replaced so long ago that nothing inside uses it any more. */
  forgotten(): Held[] {
    return this.#generations.splice(0, Math.max(0, this.#generations.length - MOST_GENERATIONS)).flat();
  }

  /** The last answer, with the time that is left. */
  bodyAgain(): Buffer {
    const { expires_in: seconds, ...rest } = this.answer ?? {};
    const passed = Math.round((Date.now() - this.renewedAt) / 1000);
    const left = typeof seconds === 'number' ? { expires_in: Math.max(0, seconds - passed) } : {};
    return Buffer.from(JSON.stringify({ ...rest, ...left }));
  }
}

function heldFor({ agent, id }: State, token: LogInToken, text: string, known: readonly Held[]): Held {
  const name = `${agent}.${token.field}`;
  const value = bytesOfText(text);
  const taken = [...known.flatMap((one) => [one.placeholder, one.value]), value];
  const placeholder = logInPlaceholder(name as Bytes, new Secret(value), taken);
  return { name, placeholder, value, rule: tokenRule(agent, token), logIn: { id, at: token.at } };
}

const refused = (agent: LogInName, reason: string, hint: string) =>
  new Refused({ refused: 'log-in', credential: `${agent}.refresh_token`, reason, hint });

const loggedOut = ({ agent, file }: Pick<State, 'agent' | 'file'>) =>
  refused(agent, `there is no log-in in ${file} any more`, `log in again outside, then start anew`);

const notUnderstood = ({ agent }: State) =>
  refused(
    agent,
    "the server's answer has no access token that can be understood, and nothing of it is handed on",
    'try again; if it stays like this, log in again outside',
  );
