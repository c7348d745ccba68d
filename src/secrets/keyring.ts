import { randomBytes } from 'node:crypto';
import { bytesOfBuffer, bytesOfText } from '../host/bytes.ts';
import { Secret } from './secret.ts';
import { type HelperResult, type Run, Unavailable } from './sources/source.ts';

export const KEYRING_EXIT = { done: 0, noEntry: 3, refused: 4, noLibrary: 5 } as const;

/** The service under which Cordon keeps its own entries. */
export const KEYRING_SERVICE = 'cordon';

const TIME_LIMIT = 10_000;
// The bus that the keyring answers on, however the desktop tells it.
const BUS = ['DBUS_SESSION_BUS_ADDRESS'];

/** The keyring of the operating system, asked through a program that can be ended when it doesn't answer. */
export class Keyring {
  readonly #run: Run;
  readonly #helper: readonly [string, ...string[]];

  constructor(run: Run, helper: readonly [string, ...string[]]) {
    this.#run = run;
    this.#helper = helper;
  }

  async get(service: string, account: string, signal?: AbortSignal): Promise<Secret | undefined> {
    const result = await this.#ask(['get', service, account], signal);
    if (result.outcome === 'exited' && result.code === KEYRING_EXIT.noEntry) return undefined;
    return new Secret(bytesOfBuffer(succeeded(result)));
  }

  /** Some keyrings take a value and give nothing back, so it is read again. */
  async set(service: string, account: string, secret: Secret): Promise<void> {
    succeeded(await this.#ask(['set', service, account], undefined, secret));
    const stored = await this.get(service, account);
    if (stored?.reveal() !== secret.reveal())
      throw new Unavailable('the keyring did not keep the value', 'unlock it, or choose another place');
  }

  async delete(service: string, account: string): Promise<void> {
    succeeded(await this.#ask(['delete', service, account]));
  }

  /** Whether it keeps a value and gives it back. */
  async works(): Promise<boolean> {
    const account = `probe-${randomBytes(8).toString('hex')}`;
    try {
      await this.set(KEYRING_SERVICE, account, new Secret(bytesOfText('probe')));
      await this.delete(KEYRING_SERVICE, account);
      return true;
    } catch (error) {
      if (error instanceof Unavailable) return false;
      throw error;
    }
  }

  #ask(words: readonly string[], signal?: AbortSignal, input?: Secret): Promise<HelperResult> {
    const limit = AbortSignal.timeout(TIME_LIMIT);
    return this.#run({
      argv: [...this.#helper, ...words],
      lend: BUS,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(input === undefined ? {} : { input }),
    });
  }
}

function succeeded(result: HelperResult): Buffer {
  if (result.outcome === 'time')
    throw new Unavailable('the keyring gave no answer; it may be locked', 'unlock it, then try again');
  if (result.outcome === 'too-much') throw new Unavailable('the entry is longer than a credential can be');
  if (result.outcome !== 'exited' || result.code === KEYRING_EXIT.noLibrary) {
    throw new Unavailable(
      'there is no keyring support here',
      'npm install @napi-rs/keyring beside cordon, or choose another source',
    );
  }
  if (result.code !== KEYRING_EXIT.done)
    throw new Unavailable('the keyring refuses: it is locked, or none is running', 'unlock it, or start one');
  return result.stdout;
}
