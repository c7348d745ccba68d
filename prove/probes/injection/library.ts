/** Segments lie on pages of their own, however large these are. */
const PAGE = 0x1_0000;
const HEADERS = 4;
const CODE = 64 + HEADERS * 56;
const DATA = 0x400;

const LOAD = 1;
const DYNAMIC = 2;
const STACK = 0x6474_e551;
const [EXECUTE, WRITE, READ] = [1, 2, 4];

const MACHINES: Partial<Record<NodeJS.Architecture, { readonly number: number; readonly code: typeof codeForX64 }>> = {
  x64: { number: 62, code: codeForX64 },
  arm64: { number: 183, code: codeForArm },
};

/** Why there is no such library here. */
export const libraryLacking = () =>
  process.arch in MACHINES ? undefined : `there is no machine code for ${process.arch} here`;

/**
 * A shared library, made without a compiler: as soon as it is loaded it writes the text to this descriptor. It has no functions, so a
 * program that wants some of it fails afterwards.
 */
export function library(descriptor: number, text: string): Buffer {
  const machine = MACHINES[process.arch];
  if (machine === undefined) return Buffer.alloc(0);
  const symbols = PAGE + DATA + 16 * 6;
  // What to run at the start, and where names and symbols are: there are none, but the loader wants to know.
  const dynamic = pairs([12, CODE], [5, symbols], [6, symbols], [10, 1], [11, 24], [0, 0]);
  const data = Buffer.concat([dynamic, Buffer.alloc(24)]);
  const start = Buffer.concat([
    header(machine.number),
    segment(LOAD, READ | EXECUTE, 0, DATA),
    segment(LOAD, READ | WRITE, DATA, data.length),
    segment(DYNAMIC, READ | WRITE, DATA, dynamic.length),
    segment(STACK, READ | WRITE, 0, 0),
    machine.code(descriptor, text),
  ]);
  return Buffer.concat([start, Buffer.alloc(DATA - start.length), data]);
}

/** A shared object of 64 bits, little-endian, with its program headers behind and no sections. */
function header(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.set(Buffer.from('7f454c46020101', 'hex'));
  bytes.writeUInt16LE(3, 16);
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeUInt32LE(64, 32);
  for (const [index, size] of [64, 56, HEADERS, 64].entries()) bytes.writeUInt16LE(size, 52 + 2 * index);
  return bytes;
}

function segment(type: number, flags: number, offset: number, size: number): Buffer {
  const address = offset === 0 ? 0 : PAGE + offset;
  const kind = Buffer.alloc(8);
  kind.writeUInt32LE(type, 0);
  kind.writeUInt32LE(flags, 4);
  return Buffer.concat([kind, pairs([offset, address], [address, size], [size, type === LOAD ? PAGE : 8])]);
}

function pairs(...all: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.alloc(16 * all.length);
  for (const [index, value] of all.flat().entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index);
  return bytes;
}

/** write(descriptor, text, length), and back. */
function codeForX64(descriptor: number, text: string): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes.toString('hex');
  };
  // mov eax, 1; mov edi, …; lea rsi, [rip + 8]; mov edx, …; syscall; ret
  const hex = `b801000000bf${number(descriptor)}488d3508000000ba${number(text.length)}0f05c3`;
  return Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(text, 'latin1')]);
}

function codeForArm(descriptor: number, text: string): Buffer {
  // mov x8, 64; mov x0, …; adr x1, the text (16 bytes on); mov x2, …; svc 0; ret
  const words = [
    ...[0xd280_0808, 0xd280_0000 | (descriptor << 5), 0x1000_0001 | ((16 / 4) << 5)],
    ...[0xd280_0002 | (text.length << 5), 0xd400_0001, 0xd65f_03c0],
  ];
  const bytes = Buffer.alloc(4 * words.length);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word >>> 0, 4 * index);
  return Buffer.concat([bytes, Buffer.from(text, 'latin1')]);
}
