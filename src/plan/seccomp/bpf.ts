/** One instruction of a classic BPF program: `struct sock_filter`. */
export interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly value: number;
}

const BPF = { loadWord: 0x20, and: 0x54, jumpEqual: 0x15, jumpGreaterOrEqual: 0x35, return: 0x06 } as const;

/** Offsets in `struct seccomp_data`, and the low half of an argument on little-endian machines. */
export const DATA = { number: 0, arch: 4, argument: (index: number) => 16 + 8 * index } as const;

export const load = (offset: number): Instruction => ({ code: BPF.loadWord, jumpTrue: 0, jumpFalse: 0, value: offset });
export const keepBits = (mask: number): Instruction => ({
  code: BPF.and,
  jumpTrue: 0,
  jumpFalse: 0,
  value: mask >>> 0,
});
export const give = (action: number): Instruction => ({
  code: BPF.return,
  jumpTrue: 0,
  jumpFalse: 0,
  value: action >>> 0,
});

export function ifEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return jump(BPF.jumpEqual, value, jumpTrue, jumpFalse);
}

export function ifAtLeast(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return jump(BPF.jumpGreaterOrEqual, value, jumpTrue, jumpFalse);
}

function jump(code: number, value: number, jumpTrue: number, jumpFalse: number): Instruction {
  if (jumpTrue > 0xff || jumpFalse > 0xff) throw new RangeError('a jump in the seccomp program is too far');
  return { code, jumpTrue, jumpFalse, value: value >>> 0 };
}

export function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, jumpTrue, jumpFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, jumpTrue);
    bytes.setUint8(index * 8 + 3, jumpFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
