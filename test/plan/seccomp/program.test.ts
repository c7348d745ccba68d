import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arch, seccompProgram } from '../../../src/plan/seccomp/index.ts';
import { GUARDED_CALLS, REFUSED_CALLS } from '../../../src/plan/seccomp/syscalls.ts';
import { runFilter } from './interpreter.ts';

const OWN = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const ERRNO = { EPERM: 0x50001, ENOSYS: 0x50026, EAFNOSUPPORT: 0x50061 } as const;

const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const anyArgs = fc.array(word, { minLength: 6, maxLength: 6 });
const low = (value: number, upper: bigint) => (upper << 32n) | BigInt(value);

describe.each<Arch>(['x64', 'arm64'])('the filter for %s', (arch) => {
  const program = seccompProgram(arch);
  const answer = (number: number, args: readonly bigint[], from: number = OWN[arch]) =>
    runFilter(program, { number, arch: from, args });
  const named = new Set([...REFUSED_CALLS, ...GUARDED_CALLS].flatMap((call) => call[arch] ?? []));

  it('refuses every call on the list, whatever its arguments', () => {
    for (const call of REFUSED_CALLS.filter((one) => one[arch] !== undefined)) {
      fc.assert(
        fc.property(anyArgs, (args) => answer(call[arch] ?? -1, args) === ERRNO[call.refusal]),
        { numRuns: 20 },
      );
    }
  });

  it('allows every other call, known or not', () => {
    const other = fc.integer({ min: 0, max: 2000 }).filter((number) => !named.has(number));
    fc.assert(
      fc.property(other, anyArgs, (number, args) => answer(number, args) === ALLOW),
      { numRuns: 3000 },
    );
  });

  it('ends programs for any other architecture', () => {
    const foreign = fc.integer({ min: 0, max: 0xffffffff }).filter((one) => one !== OWN[arch]);
    fc.assert(fc.property(foreign, fc.nat(600), anyArgs, (from, number, args) => answer(number, args, from) === KILL));
    expect(answer(20, [0n, 0n, 0n, 0n, 0n, 0n], 0x40000003)).toBe(KILL);
  });

  it('looks at the low half of an argument only', () => {
    const upper = fc.bigInt({ min: 0n, max: 0xffffffffn });
    for (const { argument, refusal, test, ...call } of GUARDED_CALLS) {
      if (!('refused' in test)) continue;
      const values = new Set(test.refused.map(({ value }) => value));
      fc.assert(
        fc.property(
          anyArgs,
          upper,
          fc.oneof(fc.constantFrom(...values), fc.integer({ min: 0, max: 0xffffffff })),
          (args, high, value) => {
            const expected = values.has(value) ? ERRNO[refusal] : ALLOW;
            return answer(call[arch] ?? -1, args.with(argument, low(value, high))) === expected;
          },
        ),
      );
    }
  });

  it('lets a debugger switch address randomisation off, and no older personality in', () => {
    const personality = GUARDED_CALLS.find(({ name }) => name === 'personality')?.[arch] ?? -1;
    const ask = (value: number) => answer(personality, [BigInt(value), 0n, 0n, 0n, 0n, 0n]);
    for (const value of [0, 0xffffffff, 0x40000, 0x8, 0x20000, 0x200000]) expect(ask(value)).toBe(ALLOW);
    for (const value of [0x400000, 0x100000, 0x500000, 1, 0x440000]) expect(ask(value)).toBe(ERRNO.EPERM);
  });

  it('is a whole number of instructions, and short', () => {
    expect(program.byteLength % 8).toBe(0);
    expect(program.byteLength / 8).toBeLessThan(120);
  });
});

it('answers calls of the x32 ABI as a kernel without it would', () => {
  const program = seccompProgram('x64');
  fc.assert(
    fc.property(fc.integer({ min: 0x40000000, max: 0xffffffff }), anyArgs, (number, args) => {
      return runFilter(program, { number, arch: OWN.x64, args }) === ERRNO.ENOSYS;
    }),
  );
});
