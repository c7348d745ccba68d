/** One question of a resolver inside, or why it is none. */
export type DnsQuestion =
  | {
      readonly name: string;
      readonly type: number;
      readonly inClass: number;
      readonly id: number;
      readonly end: number;
    }
  | { readonly malformed: true; readonly id: number | undefined };

export const TYPE_A = 1;
const HEADER = 12;
const CLASS_IN = 1;
/** Longer than any name in letters can be. */
const LONGEST = 255;

/** Only what a plain query has: one question, no pointers in it. What follows (EDNS) is not looked at. */
export function readQuestion(packet: Buffer): DnsQuestion {
  const id = packet.length >= 2 ? packet.readUInt16BE(0) : undefined;
  const bad: DnsQuestion = { malformed: true, id };
  if (packet.length < HEADER + 5 || id === undefined) return bad;
  const flags = packet.readUInt16BE(2);
  const isQuery = (flags & 0x8000) === 0 && (flags & 0x7800) === 0;
  if (!isQuery || packet.readUInt16BE(4) !== 1) return bad;
  const labels: string[] = [];
  let at = HEADER;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63 || at - HEADER > LONGEST) return bad;
    at++;
    if (length === 0) break;
    if (at + length > packet.length) return bad;
    labels.push(packet.toString('latin1', at, at + length));
    at += length;
  }
  if (at + 4 > packet.length) return bad;
  const name = labels.join('.');
  return { id, name, type: packet.readUInt16BE(at), inClass: packet.readUInt16BE(at + 2), end: at + 4 };
}

export type NameAnswer = { readonly address: string } | 'no such name' | 'nothing of this type';

const NXDOMAIN = 3;
const FORMERR = 1;
/** Short, since a name may be allowed a moment later; long enough for one connection. */
const SECONDS = 30;

export function answerTo(packet: Buffer, question: DnsQuestion, answer: NameAnswer): Buffer | undefined {
  if ('malformed' in question)
    return question.id === undefined ? undefined : header(packet, question.id, FORMERR, 0, 0);
  const code = answer === 'no such name' ? NXDOMAIN : 0;
  const hasAddress = typeof answer === 'object' && question.type === TYPE_A && question.inClass === CLASS_IN;
  const head = header(packet, question.id, code, 1, hasAddress ? 1 : 0);
  const asked = packet.subarray(HEADER, question.end);
  if (!hasAddress) return Buffer.concat([head, asked]);
  const record = Buffer.from([0xc0, HEADER, 0, TYPE_A, 0, CLASS_IN, 0, 0, 0, SECONDS, 0, 4]);
  return Buffer.concat([head, asked, record, Buffer.from(answer.address.split('.').map(Number))]);
}

function header(packet: Buffer, id: number, code: number, questions: number, answers: number): Buffer {
  const head = Buffer.alloc(HEADER);
  const recursionDesired = packet.length >= 4 ? packet.readUInt16BE(2) & 0x0100 : 0;
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(0x8080 | recursionDesired | code, 2);
  head.writeUInt16BE(questions, 4);
  head.writeUInt16BE(answers, 6);
  return head;
}
