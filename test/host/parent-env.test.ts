import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bytesOfBuffer, bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';

const block = (...entries: (string | Buffer)[]) =>
  Buffer.concat(entries.map((entry) => Buffer.concat([Buffer.from(entry), Buffer.from([0])])));

describe('the parent environment', () => {
  it('keeps the first of several entries with one name, as getenv does', () => {
    const env = ParentEnv.fromBlock(block('A=1', 'A=2', 'B=', 'C==x'));
    expect(env.names()).toEqual(['A', 'B', 'C']);
    expect(env.get(bytesOfText('A'))).toBe('1');
    expect(env.get(bytesOfText('C'))).toBe('=x');
  });

  it('keeps names and values that are not UTF-8', () => {
    const env = ParentEnv.fromBlock(block(Buffer.from([0x41, 0xff, 0x3d, 0xfe])));
    expect(env.get(bytesOfBuffer(Buffer.from([0x41, 0xff])))).toBe('\u00fe');
  });

  it('sets entries aside that have no usable name', () => {
    expect(ParentEnv.fromBlock(block('=x', 'no-equals', 'A=1')).unusable).toEqual(['', 'no-equals']);
    expect(ParentEnv.fromRecord({ '': 'x', 'A=B': 'y', 'N\0': 'z', OK: 'v', V: 'a\0b' }).unusable).toEqual([
      '',
      'A=B',
      'N\0',
      'V',
    ]);
  });

  it('takes own string properties only', () => {
    const record = Object.create({ INHERITED: 'x' }, { OWN: { value: 'y', enumerable: true } });
    expect(ParentEnv.fromRecord({ ...record, UNDEFINED: undefined }).names()).toEqual(['OWN']);
    expect(ParentEnv.fromRecord(record).names()).toEqual(['OWN']);
  });

  it('never prints a value', () => {
    const env = ParentEnv.fromRecord({ TOKEN: 'canary' });
    for (const shown of [`${env}`, JSON.stringify({ env }), inspect(env, { depth: 9, showHidden: true })])
      expect(shown).not.toContain('canary');
  });
});
