import net from 'node:net';
import { ByteReader } from './byte-reader.ts';
import type { BrokerRecord } from './held.ts';
import { fingerprintOf, isSignedBy, SshReader, sshString } from './ssh-wire.ts';

/** What the process outside is told of keys: no secret is among it, the agent of the user keeps those. */
export interface SshSettings {
  /** The socket inside, which the command knows. */
  readonly socket: string;
  /** The socket of the user's agent. */
  readonly agent: string;
  readonly keys: readonly SshKey[];
}

export interface SshKey {
  /** As the user wrote it. */
  readonly name: string;
  /** One of these says which key of the agent it is. */
  readonly fingerprint?: string | undefined;
  readonly comment?: string | undefined;
  readonly hosts: readonly SshHost[];
}

export interface SshHost {
  readonly name: string;
  readonly port: number;
  /** In base64: the keys by which it is known. */
  readonly keys: readonly string[];
}

/** Numbers of draft-miller-ssh-agent. */
const FAILURE = 5;
const SUCCESS = 6;
const LIST = 11;
const LISTED = 12;
const SIGN = 13;
const SIGNED = 14;
const EXTENSION = 27;
const EXTENSION_FAILURE = 28;
const LOG_IN = 50;

const BIND = 'session-bind@openssh.com';
const HOST_BOUND = 'publickey-hostbound-v00@openssh.com';
const LARGEST = 1 << 18;
/** A session goes by a hash: what a host signs at other times is longer. */
const LONGEST_SESSION = 64;
const PATIENCE_MS = 120_000;

const ADDING_AND_REMOVING: Readonly<Record<number, string>> = {
  17: 'adding a key',
  18: 'removing a key',
  19: 'removing all keys',
  20: 'adding a key of a card',
  21: 'removing a key of a card',
  22: 'locking the agent',
  23: 'unlocking the agent',
  25: 'adding a key',
  26: 'adding a key of a card',
};

class Unsigned extends Error {
  readonly rule: string;
  readonly host: SshHost | undefined;
  readonly key: string | undefined;

  constructor(rule: string, reason: string, about: { key?: string | undefined; host?: SshHost | undefined } = {}) {
    super(reason);
    this.rule = rule;
    this.key = about.key;
    this.host = about.host;
  }
}

/** The session that a client proved: which host, by its key, and which connection to it. */
interface Session {
  readonly hostKey: Buffer;
  readonly id: Buffer;
}

/**
 * An agent for the command: it shows the keys that are allowed and signs log-ins with them, to the hosts that each is for. Which host a
 * signature is for is proven by that host: its own key signed the session that the log-in names. Everything else is refused.
 */
export function serveSshAgent(client: net.Socket, settings: SshSettings, record: (entry: BrokerRecord) => void): void {
  const connection = new AgentConnection(settings, record);
  client.on('error', () => client.destroy());
  client.once('close', () => connection.end());
  void talk(client, connection).catch(() => client.destroy());
}

async function talk(client: net.Socket, connection: AgentConnection): Promise<void> {
  const reader = new ByteReader(client);
  for (;;) {
    const message = await nextMessage(reader);
    if (message === undefined) break;
    client.pause();
    client.write(sshString(await connection.answer(message)));
    client.resume();
  }
  client.end();
}

async function nextMessage(reader: ByteReader): Promise<Buffer | undefined> {
  const head = await reader.take(4).catch(() => undefined);
  if (head === undefined) return undefined;
  const length = head.readUInt32BE(0);
  if (length < 1 || length > LARGEST) throw new RangeError('no message of an agent is that long');
  return reader.take(length);
}

class AgentConnection {
  readonly #settings: SshSettings;
  readonly #record: (entry: BrokerRecord) => void;
  #session: Session | undefined;
  /** Why nothing is signed on this connection any more. */
  #spoiled: string | undefined;
  #upstream: { readonly socket: net.Socket; readonly reader: ByteReader } | undefined;

  constructor(settings: SshSettings, record: (entry: BrokerRecord) => void) {
    this.#settings = settings;
    this.#record = record;
  }

  end(): void {
    this.#upstream?.socket.destroy();
  }

  async answer(message: Buffer): Promise<Buffer> {
    const kind = message[0] as number;
    const rest = new SshReader(message.subarray(1));
    try {
      if (kind === LIST) return listing(await this.#keys());
      if (kind === SIGN) return await this.#sign(message, rest);
      if (kind === EXTENSION) return this.#extension(rest);
      throw new Unsigned(
        'agent',
        `${ADDING_AND_REMOVING[kind] ?? 'what it asked of the agent'} is not the command's to do`,
      );
    } catch (error) {
      this.#note(error instanceof Error ? error : new Error('unknown'));
      return Buffer.from([kind === EXTENSION ? EXTENSION_FAILURE : FAILURE]);
    }
  }

  #note(error: Error): void {
    const { rule = 'agent', host, key } = error instanceof Unsigned ? error : ({} as Partial<Unsigned>);
    this.#record({
      host: host?.name ?? 'ssh-agent',
      port: host?.port ?? 22,
      credentials: key === undefined ? [] : [`ssh:${key}`],
      verdict: error instanceof Unsigned ? 'refused' : 'failed',
      rule,
      reason: error.message,
    });
  }

  #extension(rest: SshReader): Buffer {
    const name = rest.text();
    if (name === BIND) this.#bind(rest);
    // Clients ask what there is before they do without it.
    return Buffer.from([name === BIND ? SUCCESS : EXTENSION_FAILURE]);
  }

  #bind(rest: SshReader): void {
    const [hostKey, id, signature] = [rest.string(), rest.string(), rest.string()];
    const isForwarding = rest.byte() !== 0;
    const spoil = (reason: string) => {
      this.#spoiled = reason;
      return new Unsigned('forwarding', reason);
    };
    if (id.length > LONGEST_SESSION || !isSignedBy(hostKey, id, signature))
      throw spoil('the host did not sign the session that is said to be its own');
    if (isForwarding) throw spoil('the agent is not forwarded to other hosts');
    if (this.#session !== undefined && !this.#session.id.equals(id)) throw spoil('one connection is for one session');
    this.#session = { hostKey, id };
  }

  async #sign(message: Buffer, rest: SshReader): Promise<Buffer> {
    const blob = rest.string();
    const data = rest.string();
    const key = (await this.#keys()).find((one) => one.blob.equals(blob))?.key;
    if (key === undefined) throw new Unsigned('key', 'the key is not one that the command may use');
    const host = this.#hostFor(key, blob, data);
    const answer = await this.#ask(message);
    if (answer[0] !== SIGNED) throw new Unsigned('agent', 'your agent did not sign', { key: key.name, host });
    this.#record({
      host: host.name,
      port: host.port,
      method: 'LOGIN',
      rule: 'ssh',
      credentials: [`ssh:${key.name}`],
      verdict: 'swapped',
    });
    return answer;
  }

  /** The host that this signature is good for, and nothing else. */
  #hostFor(key: SshKey, blob: Buffer, data: Buffer): SshHost {
    const no = (rule: string, reason: string) => new Unsigned(rule, reason, { key: key.name });
    if (this.#spoiled !== undefined) throw no('forwarding', this.#spoiled);
    const session = this.#session;
    if (session === undefined)
      throw no('host', 'the program did not prove which host it logs in to; OpenSSH does since version 8.9');
    const logIn = logInOf(data);
    if (logIn === undefined) throw no('place', 'only log-ins are signed');
    const isOfSession = logIn.session.equals(session.id) && logIn.blob.equals(blob);
    if (!isOfSession || (logIn.hostKey !== undefined && !logIn.hostKey.equals(session.hostKey)))
      throw no('host', 'the log-in is for another session than the one that was proven');
    const known = session.hostKey.toString('base64');
    const host = key.hosts.find(({ keys }) => keys.includes(known));
    if (host === undefined)
      throw no(
        'host',
        `it may be used for ${key.hosts.map(({ name }) => name).join(', ')} only, and the host has another key`,
      );
    return host;
  }

  async #keys(): Promise<readonly Shown[]> {
    const answer = await this.#ask(Buffer.from([LIST]));
    if (answer[0] !== LISTED) throw new Error('your agent does not tell its keys');
    const rest = new SshReader(answer.subarray(1));
    const all = Array.from({ length: rest.number() }, () => ({ blob: rest.string(), comment: rest.string() }));
    return all.flatMap(({ blob, comment }) => {
      const meant = this.#settings.keys.filter((one) => isMeant(one, blob, comment.toString('utf8')));
      const [first] = meant;
      return first === undefined
        ? []
        : [{ blob, comment, key: { ...first, hosts: meant.flatMap(({ hosts }) => hosts) } }];
    });
  }

  async #ask(message: Buffer): Promise<Buffer> {
    this.#upstream ??= await connectTo(this.#settings.agent);
    const { socket, reader } = this.#upstream;
    socket.once('close', () => {
      this.#upstream = undefined;
    });
    socket.write(sshString(message));
    const answer = await nextMessage(reader);
    if (answer === undefined) throw new Error('your agent closed the connection');
    return answer;
  }
}

interface Shown {
  readonly blob: Buffer;
  readonly comment: Buffer;
  readonly key: SshKey;
}

const isMeant = ({ fingerprint, comment: wanted }: SshKey, blob: Buffer, comment: string) =>
  fingerprint === undefined ? comment === wanted : fingerprint === fingerprintOf(blob);

function listing(keys: readonly Shown[]): Buffer {
  const count = Buffer.alloc(5);
  count[0] = LISTED;
  count.writeUInt32BE(keys.length, 1);
  return Buffer.concat([count, ...keys.flatMap(({ blob, comment }) => [sshString(blob), sshString(comment)])]);
}

interface LogIn {
  readonly session: Buffer;
  readonly blob: Buffer;
  readonly hostKey: Buffer | undefined;
}

/** What a client signs to log in by a key, in RFC 4252 and with the host's key in it; undefined: it is something else. */
function logInOf(data: Buffer): LogIn | undefined {
  try {
    const rest = new SshReader(data);
    const session = rest.string();
    if (rest.byte() !== LOG_IN) return undefined;
    rest.string();
    const [service, method] = [rest.text(), rest.text()];
    if (service !== 'ssh-connection' || rest.byte() !== 1) return undefined;
    rest.string();
    const blob = rest.string();
    const hostKey = method === HOST_BOUND ? rest.string() : undefined;
    return (method === 'publickey' || method === HOST_BOUND) && rest.isAtEnd ? { session, blob, hostKey } : undefined;
  } catch {
    return undefined;
  }
}

function connectTo(path: string): Promise<{ readonly socket: net.Socket; readonly reader: ByteReader }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path);
    socket.once('error', () => reject(new Error('your agent can not be reached')));
    // It may ask the user on another window.
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.once('connect', () => {
      socket.on('error', () => socket.destroy());
      resolve({ socket, reader: new ByteReader(socket) });
    });
  });
}
