import type dgram from 'node:dgram';
import net from 'node:net';
import { hostName } from '../policy/network/rules.ts';
import { answerTo, type NameAnswer, readQuestion, TYPE_A } from './dns.ts';
import type { Gate } from './gate.ts';
import type { Names } from './names.ts';

/** Answers what programs inside ask, out of the policy alone: no question ever leaves. */
export class Resolver {
  readonly #gate: Gate;
  readonly #names: Names;

  constructor(gate: Gate, names: Names) {
    this.#gate = gate;
    this.#names = names;
  }

  answer(packet: Buffer): Buffer | undefined {
    const question = readQuestion(packet);
    return answerTo(
      packet,
      question,
      'malformed' in question ? 'no such name' : this.#find(question.name, question.type),
    );
  }

  #find(asked: string, type: number): NameAnswer {
    const lower = asked.toLowerCase().replace(/\.$/, '');
    if (lower === 'localhost' || lower.endsWith('.localhost')) return { address: '127.0.0.1' };
    // Asked for before every connection by some programs, and nobody's business.
    if (lower === '' || lower.endsWith('.arpa')) return 'no such name';
    const parsed = hostName(asked);
    if ('problem' in parsed || !this.#gate.knows(parsed.name)) {
      this.#gate.noSuchName('name' in parsed ? parsed.name : shown(asked));
      return 'no such name';
    }
    if (type !== TYPE_A) return 'nothing of this type';
    const address = this.#names.addressFor(parsed.name);
    return address === undefined ? 'no such name' : { address };
  }
}

const shown = (name: string) => name.slice(0, 260).replace(/[^!-~]/g, '?');

/** A client that is gone needs no answer. */
const ignored = () => undefined;

export function serveUdp(socket: dgram.Socket, resolver: Resolver): void {
  socket.on('message', (packet, from) => {
    const answer = resolver.answer(packet);
    if (answer !== undefined) socket.send(answer, from.port, from.address, ignored);
  });
  socket.on('error', ignored);
}

const LARGEST = 4096;

/** The same over TCP: each message with its length before it. */
export function tcpResolver(resolver: Resolver, idleMs: number): net.Server {
  const server = net.createServer((client) => {
    let held = Buffer.alloc(0);
    client.setTimeout(idleMs, () => client.destroy());
    client.on('error', () => client.destroy());
    client.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 2) {
        const length = held.readUInt16BE(0);
        if (length > LARGEST) return void client.destroy();
        if (held.length < 2 + length) return;
        const answer = resolver.answer(held.subarray(2, 2 + length));
        held = held.subarray(2 + length);
        if (answer === undefined) return void client.destroy();
        client.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
      }
    });
  });
  server.maxConnections = 256;
  return server;
}
