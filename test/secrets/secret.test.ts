import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { Secret } from '../../src/secrets/secret.ts';

describe('a Secret', () => {
  const secret = new Secret(bytesOfText('canary'));
  it.each([
    ['String()', () => String(secret)],
    ['template string', () => `${secret}`],
    ['concatenation', () => `x${secret as unknown as string}`],
    ['toString', () => secret.toString()],
    ['JSON', () => JSON.stringify({ deep: [secret] })],
    ['util.inspect', () => inspect({ deep: [secret] }, { depth: 9, showHidden: true, getters: true })],
    ['util.format', () => format('%s %o %O %j', secret, secret, secret, secret)],
    ['error message', () => new Error(`failed with ${secret}`).message],
    ['error cause', () => inspect(new Error('failed', { cause: secret }))],
    ['Object.entries', () => JSON.stringify(Object.entries(secret))],
    ['structured clone', () => inspect(structuredClone({ ...secret }))],
    ['Object.prototype.toString', () => Object.prototype.toString.call(secret)],
  ])('shows nothing through %s', (_, show) => {
    expect(show()).not.toContain('canary');
  });

  it.each([() => String(secret), () => `${secret}`, () => JSON.stringify(secret).slice(1, -1), () => inspect(secret)])(
    'shows [redacted]',
    (show) => {
      expect(show()).toBe('[redacted]');
    },
  );

  it('gives its value to who asks for it by name', () => {
    expect(secret.reveal()).toBe('canary');
  });
});
