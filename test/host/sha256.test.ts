import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/host/bytes.ts';

const ofNode = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the digest that needs no part of Node', () => {
  test("is the standard's own", () => {
    expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test("is Node's for every length around the ends of blocks", () => {
    for (let length = 0; length < 300; length++) expect(sha256('x'.repeat(length))).toBe(ofNode('x'.repeat(length)));
  });

  test("is Node's for any text", () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => sha256(text) === ofNode(text)));
  });
});
