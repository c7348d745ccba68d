import { GUARDED_CALLS, type GuardedCall, REFUSED_CALLS, type RefusedWith } from './syscalls.ts';

export type Arch = 'x64' | 'arm64';

const ARCH: Readonly<Record<Arch, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const X32_BIT = 0x4000_0000;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERRNO: Readonly<Record<RefusedWith, number>> = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };

const refuse = (refusal: RefusedWith): Instruction => give(0x0005_0000 | ERRNO[refusal]);

/**
 * The filter of the command and all it starts, as an array of `struct sock_filter`. A list of refusals: calls that a newer kernel
 * brings are allowed, since this is the second line behind namespaces and dropped capabilities, and tools have to go on working.
 * A call that no rule is about never has its arguments looked at, so the kernel can remember that it is allowed.
 */
export function seccompProgram(arch: Arch): Uint8Array {
  return encode([
    ...foreignAbis(arch),
    ...GUARDED_CALLS.flatMap((call) => guardedCall(call, call[arch])),
    ...(['EPERM', 'ENOSYS'] as const).flatMap((refusal) => refusedCalls(arch, refusal)),
    give(ALLOW),
  ]);
}

/** A program for another ABI has other numbers: it is ended. The x32 ABI shares ours and has the same answer as a kernel without it. */
function foreignAbis(arch: Arch): Instruction[] {
  const own = [load(DATA.arch), ifEqual(ARCH[arch], 1, 0), give(KILL_PROCESS), load(DATA.number)];
  return arch === 'x64' ? [...own, ifAtLeast(X32_BIT, 0, 1), refuse('ENOSYS')] : own;
}

function refusedCalls(arch: Arch, refusal: RefusedWith): Instruction[] {
  const numbers = REFUSED_CALLS.filter((call) => call.refusal === refusal).flatMap((call) => call[arch] ?? []);
  return [
    ...numbers.map((number, index) =>
      ifEqual(number, numbers.length - 1 - index, index === numbers.length - 1 ? 1 : 0),
    ),
    refuse(refusal),
  ];
}

function guardedCall({ argument, refusal, test }: GuardedCall, number: number | undefined): Instruction[] {
  if (number === undefined) return [];
  const body = [
    load(DATA.argument(argument)),
    ...('refused' in test ? refusedValues(test.refused) : foreignBits(test)),
    refuse(refusal),
  ];
  return [ifEqual(number, 0, body.length), ...body];
}

/** Falls through to the refusal that follows. */
function refusedValues(values: readonly { readonly value: number }[]): Instruction[] {
  return [...values.map(({ value }, index) => ifEqual(value, values.length - index, 0)), give(ALLOW)];
}

function foreignBits({
  allowedBits,
  except,
}: {
  readonly allowedBits: number;
  readonly except: number;
}): Instruction[] {
  return [ifEqual(except, 2, 0), keepBits(~allowedBits), ifEqual(0, 0, 1), give(ALLOW)];
}

/** One instruction of a classic BPF program: `struct sock_filter`. */
interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly value: number;
}

const BPF = { loadWord: 0x20, and: 0x54, jumpEqual: 0x15, jumpGreaterOrEqual: 0x35, return: 0x06 } as const;

/** Offsets in `struct seccomp_data`, and the low half of an argument on little-endian machines. */
const DATA = { number: 0, arch: 4, argument: (index: number) => 16 + 8 * index } as const;

const load = (offset: number): Instruction => ({ code: BPF.loadWord, jumpTrue: 0, jumpFalse: 0, value: offset });
const keepBits = (mask: number): Instruction => ({
  code: BPF.and,
  jumpTrue: 0,
  jumpFalse: 0,
  value: mask >>> 0,
});
const give = (action: number): Instruction => ({
  code: BPF.return,
  jumpTrue: 0,
  jumpFalse: 0,
  value: action >>> 0,
});

function ifEqual(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return jump(BPF.jumpEqual, value, jumpTrue, jumpFalse);
}

function ifAtLeast(value: number, jumpTrue: number, jumpFalse: number): Instruction {
  return jump(BPF.jumpGreaterOrEqual, value, jumpTrue, jumpFalse);
}

function jump(code: number, value: number, jumpTrue: number, jumpFalse: number): Instruction {
  if (jumpTrue > 0xff || jumpFalse > 0xff) throw new RangeError('a jump in the seccomp program is too far');
  return { code, jumpTrue, jumpFalse, value: value >>> 0 };
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, jumpTrue, jumpFalse, value }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, jumpTrue);
    bytes.setUint8(index * 8 + 3, jumpFalse);
    bytes.setUint32(index * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
