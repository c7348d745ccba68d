/** What the kernel makes of a classic BPF program: enough of it for seccomp filters, and nothing that a filter may not do. */
export interface CallData {
  readonly number: number;
  readonly arch: number;
  readonly args: readonly bigint[];
}

export function runFilter(program: Uint8Array, data: CallData): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const memory = dataOf(data);
  let accumulator = 0;
  for (let at = 0; at < program.byteLength; at += 8) {
    const code = view.getUint16(at, true);
    const value = view.getUint32(at + 4, true);
    if (code === RETURN) return value;
    if (code === LOAD) accumulator = memory.getUint32(value, true);
    else if (code === AND) accumulator = (accumulator & value) >>> 0;
    else at += 8 * view.getUint8(at + (holds(code, accumulator, value) ? 2 : 3));
  }
  throw new Error('the program runs off its end');
}

const RETURN = 0x06;
const LOAD = 0x20;
const AND = 0x54;

function holds(code: number, accumulator: number, value: number): boolean {
  if (code === 0x15) return accumulator === value;
  if (code === 0x35) return accumulator >= value;
  throw new Error(`unknown instruction ${code}`);
}

function dataOf({ number, arch, args }: CallData): DataView {
  const memory = new DataView(new ArrayBuffer(64));
  memory.setUint32(0, number, true);
  memory.setUint32(4, arch, true);
  for (const [index, argument] of args.entries()) memory.setBigUint64(16 + 8 * index, argument, true);
  return memory;
}
