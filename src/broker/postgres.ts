import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { promisify } from 'node:util';
import type { Leaf } from './authority.ts';
import { ByteReader } from './byte-reader.ts';
import type { BrokerRecord, Dialled, Held } from './held.ts';
import type { Connect } from './real-server.ts';

/** A server whose password the command never has: it logs in with whatever it likes, and the broker logs in for it. */
export interface PostgresOptions {
  readonly held: Held;
  /** Whether the server is spoken to over TLS, always verified. Without it only methods are used that do not send the password. */
  readonly secure: boolean;
  readonly leaf: () => Leaf;
  readonly secureContext: tls.SecureContext;
  readonly record: (entry: BrokerRecord) => void;
}

const PROTOCOL_3 = 3 << 16;
const CANCEL = 80_877_102;
const WANTS_TLS = 80_877_103;
const WANTS_GSS = 80_877_104;
const TLS_HANDSHAKE = 0x16;
const LONGEST_MESSAGE = 1 << 16;
const PATIENCE_MS = 30_000;

/** What the command asks for at its start: a new connection, or the end of a query on another one. */
type Opening =
  | { readonly kind: 'start'; readonly client: Duplex; readonly message: Buffer; readonly user: string }
  | { readonly kind: 'cancel'; readonly client: Duplex; readonly message: Buffer };

/** The steps of one connection: 1. what the command asks for, 2. TLS to the server, 3. the log-in, 4. bytes in both directions. */
export async function takePostgres(
  raw: Duplex,
  dialled: Dialled,
  connect: Connect,
  options: PostgresOptions,
): Promise<void> {
  const started = performance.now();
  const note = (entry: Pick<BrokerRecord, 'verdict' | 'rule' | 'reason'>) =>
    options.record({
      host: dialled.name,
      port: dialled.port,
      credentials: [options.held.name],
      milliseconds: Math.round(performance.now() - started),
      ...entry,
    });
  let client = raw;
  let server: Duplex | undefined;
  const late = setTimeout(() => raw.destroy(), PATIENCE_MS);
  try {
    const opening = await openingOf(raw, dialled, options);
    client = opening.client;
    server = await serverOf(await connect(), dialled, options);
    if (opening.kind === 'start') {
      await logIn(server, opening.message, opening.user, options);
      client.write(AUTHENTICATION_OK);
    } else server.write(opening.message);
    clearTimeout(late);
    await spliced(client, server);
    note({ verdict: 'swapped' });
  } catch (error) {
    const why = error instanceof LogInFailed ? error : undefined;
    const reason = why?.message ?? (error as NodeJS.ErrnoException).code ?? 'the connection broke off';
    note({ verdict: why === undefined ? 'failed' : 'refused', rule: why?.rule ?? 'unreachable', reason });
    if (!client.destroyed) client.end(why?.asTold ?? errorResponse('08006', toldText(options, dialled, reason)));
    server?.destroy();
  } finally {
    clearTimeout(late);
  }
}

class LogInFailed extends Error {
  readonly rule: string;
  /** The server's own answer, which the command gets as it is. */
  readonly asTold: Buffer | undefined;

  constructor(rule: string, message: string, asTold?: Buffer) {
    super(message);
    this.rule = rule;
    this.asTold = asTold;
  }
}

const toldText = ({ held }: PostgresOptions, { name, port }: Dialled, reason: string) =>
  `cordon: ${held.name} was not used at ${name}:${port}: ${reason}`;

/** TLS is offered to those who want it, with a certificate of this launch; what else a client tries first is declined. */
async function openingOf(raw: Duplex, dialled: Dialled, options: PostgresOptions): Promise<Opening> {
  const reader = new ByteReader(raw);
  const secured = async (): Promise<Opening> => {
    reader.release();
    const opening = await firstMessage(new ByteReader(securedClient(raw, options.leaf())), dialled);
    if (opening === WANTS_TLS) throw new LogInFailed('protocol', 'TLS is asked for twice');
    return opening;
  };
  if ((await reader.peek()) === TLS_HANDSHAKE) return secured();
  const opening = await firstMessage(reader, dialled);
  if (opening !== WANTS_TLS) return opening;
  raw.write('S');
  return secured();
}

/** The first that is no question about encryption. */
async function firstMessage(reader: ByteReader, { name }: Dialled): Promise<Opening | typeof WANTS_TLS> {
  for (;;) {
    const length = (await reader.take(4)).readUInt32BE();
    if (length < 8 || length > LONGEST_MESSAGE)
      throw new LogInFailed('protocol', 'this is not the protocol of PostgreSQL');
    const rest = await reader.take(length - 4);
    const code = rest.readUInt32BE();
    if (code === WANTS_TLS) return WANTS_TLS;
    if (code === WANTS_GSS) {
      reader.stream.write('N');
      continue;
    }
    reader.release();
    const whole = { client: reader.stream, message: Buffer.concat([lengthOf(length), rest]) };
    if (code === CANCEL && length === 16) return { kind: 'cancel', ...whole };
    if (code >>> 16 === PROTOCOL_3 >>> 16) return { kind: 'start', ...whole, user: userIn(rest, name) };
    throw new LogInFailed('protocol', 'only version 3 of the protocol is spoken here');
  }
}

function securedClient(raw: Duplex, leaf: Leaf): Duplex {
  const client = new tls.TLSSocket(raw as never, { isServer: true, ...leaf, ALPNProtocols: ['postgresql'] });
  client.on('error', () => raw.destroy());
  return client;
}

function userIn(start: Buffer, host: string): string {
  const words = start.subarray(4).toString('utf8').split('\0');
  const at = words.findIndex((word, i) => i % 2 === 0 && word === 'user');
  const user = at === -1 ? '' : (words[at + 1] ?? '');
  if (user === '') throw new LogInFailed('protocol', `no user was named for ${host}`);
  return user;
}

/** The server's certificate has to prove its name, as `sslmode=verify-full` has it. */
async function serverOf(
  socket: Duplex,
  { name }: Dialled,
  { secure, secureContext }: PostgresOptions,
): Promise<Duplex> {
  socket.on('error', () => socket.destroy());
  if (!secure) return socket;
  const reader = new ByteReader(socket);
  socket.write(Buffer.concat([lengthOf(8), lengthOf(WANTS_TLS)]));
  const answer = (await reader.take(1)).toString('latin1');
  if (answer !== 'S') throw new LogInFailed('unverified', 'the server has no TLS, and without it nothing is sent');
  reader.release();
  return new Promise((resolve, reject) => {
    const server = tls.connect({
      socket: socket as never,
      servername: name,
      secureContext,
      ALPNProtocols: ['postgresql'],
    });
    server.once('secureConnect', () => {
      server.off('error', reject);
      server.on('error', () => server.destroy());
      resolve(server);
    });
    server.once('error', reject);
  });
}

const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const OK = 0;
const CLEAR_TEXT = 3;
const MD5 = 5;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

/** Until the server says that it is done; what it says from then on is for the command. */
async function logIn(server: Duplex, start: Buffer, user: string, options: PostgresOptions): Promise<void> {
  const reader = new ByteReader(server);
  const answers = new Answers(user, options);
  server.write(start);
  for (;;) {
    const [type, length] = await headOf(reader);
    const body = await reader.take(length - 4);
    if (type === 'E') throw refusalOf(body, length);
    if (type !== 'R' || body.length < 4) throw new LogInFailed('protocol', 'the server did not ask for a log-in');
    const kind = body.readUInt32BE();
    if (kind === OK) break;
    const answer = await answers.to(kind, body.subarray(4));
    if (answer !== undefined) server.write(message('p', answer));
  }
  answers.requireProof();
  reader.release();
}

/** What is answered to the server's questions, and whether it proved itself where the method has it. */
class Answers {
  readonly #user: string;
  readonly #password: string;
  readonly #secure: boolean;
  #scram: Scram | undefined;
  #proven = false;

  constructor(user: string, { held, secure }: PostgresOptions) {
    this.#user = user;
    this.#password = Buffer.from(held.value, 'latin1').toString('utf8');
    this.#secure = secure;
  }

  /** Undefined: nothing is to be said. */
  async to(kind: number, data: Buffer): Promise<string | Buffer | undefined> {
    switch (kind) {
      case MD5:
        return `${md5Answer(this.#password, this.#user, data)}\0`;
      case CLEAR_TEXT:
        if (!this.#secure)
          throw new LogInFailed('protocol', 'the server wants the password itself, and there is no TLS');
        return `${this.#password}\0`;
      case SASL:
        return this.#begin(data.toString('latin1').split('\0'));
      case SASL_CONTINUE:
        return this.#asked().proofFor(data.toString());
      case SASL_FINAL:
        this.#proven = this.#asked().isProof(data.toString());
        return undefined;
      default:
        throw new LogInFailed('protocol', `the server wants a log-in that is not known here (${kind})`);
    }
  }

  requireProof(): void {
    if (this.#scram !== undefined && !this.#proven)
      throw new LogInFailed('unverified', 'the server did not prove that it knows the password');
  }

  #begin(methods: readonly string[]): Buffer {
    if (!methods.includes('SCRAM-SHA-256'))
      throw new LogInFailed('protocol', 'the server offers no method that is known here');
    this.#scram = new Scram(this.#password);
    const first = Buffer.from(this.#scram.first());
    return Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), lengthOf(first.length), first]);
  }

  #asked(): Scram {
    if (this.#scram === undefined) throw new LogInFailed('protocol', 'the server goes on with what it did not begin');
    return this.#scram;
  }
}

async function headOf(reader: ByteReader): Promise<[type: string, length: number]> {
  const head = await reader.take(5);
  const length = head.readUInt32BE(1);
  if (length < 4 || length > LONGEST_MESSAGE)
    throw new LogInFailed('protocol', 'the server does not speak the protocol of PostgreSQL');
  return [head.toString('latin1', 0, 1), length];
}

function refusalOf(body: Buffer, length: number): LogInFailed {
  const fields = body.toString('utf8').split('\0');
  const code = fields.find((field) => field.startsWith('C'))?.slice(1) ?? '';
  return new LogInFailed(
    'server',
    `the server refused (${/^[0-9A-Z]{5}$/.test(code) ? code : 'no code'})`,
    Buffer.concat([Buffer.from('E'), lengthOf(length), body]),
  );
}

const md5 = (...parts: readonly (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest('hex');
const md5Answer = (password: string, user: string, salt: Buffer) => `md5${md5(md5(password, user), salt)}`;

const derive = promisify(pbkdf2);
const MOST_ITERATIONS = 1_000_000;

/** SCRAM-SHA-256 (RFC 5802, 7677) without channel binding: the password proves itself and is not sent. */
class Scram {
  readonly #nonce = randomBytes(18).toString('base64');
  readonly #password: string;
  #serverProof: Buffer | undefined;

  constructor(password: string) {
    this.#password = password.normalize('NFKC');
  }

  first(): string {
    return `n,,${this.#bare()}`;
  }

  #bare(): string {
    return `n=,r=${this.#nonce}`;
  }

  async proofFor(challenge: string): Promise<string> {
    const [, nonce = '', salt = '', count = ''] = /^r=([^,]+),s=([^,]+),i=(\d{1,7})(?:,|$)/.exec(challenge) ?? [];
    const iterations = Number(count);
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce || iterations < 1 || iterations > MOST_ITERATIONS)
      throw new LogInFailed('protocol', 'the server sent a challenge that cannot be right');
    const salted = await derive(this.#password, Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
    const final = `c=biws,r=${nonce}`;
    const exchange = `${this.#bare()},${challenge},${final}`;
    const clientKey = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(clientKey).digest(), exchange);
    this.#serverProof = hmac(hmac(salted, 'Server Key'), exchange);
    return `${final},p=${Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] as number))).toString('base64')}`;
  }

  isProof(final: string): boolean {
    const given = Buffer.from(/^v=([^,]+)/.exec(final)?.[1] ?? '', 'base64');
    const expected = this.#serverProof;
    return expected !== undefined && given.length === expected.length && timingSafeEqual(given, expected);
  }
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function message(type: string, body: string | Buffer): Buffer {
  const content = Buffer.from(body as string);
  return Buffer.concat([Buffer.from(type), lengthOf(content.length + 4), content]);
}

function errorResponse(code: string, text: string): Buffer {
  return message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
}

/** Until both have said all they have to say; what one of them breaks off ends for the other too. */
function spliced(client: Duplex, server: Duplex): Promise<void> {
  client.pipe(server);
  server.pipe(client);
  return new Promise((resolve) => {
    const end = () => {
      client.destroy();
      server.destroy();
      resolve();
    };
    client.once('close', end);
    server.once('close', end);
  });
}
