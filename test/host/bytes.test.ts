import { describe, expect, it } from 'vitest';
import { bytesOfBuffer, bytesOfText, showBytes, showText, textOfBytes } from '../../src/host/bytes.ts';

describe('bytes', () => {
  it('are one character each and come back as they were', () => {
    expect(bytesOfText('é')).toHaveLength(2);
    expect(textOfBytes(bytesOfText('naïve ✓'))).toBe('naïve ✓');
    expect(textOfBytes(bytesOfBuffer(Buffer.from([0xff])))).toBeUndefined();
  });

  it('are shown so that nothing steers a terminal or hides text', () => {
    expect(showBytes(bytesOfText('A\x1b[31mB'))).toBe('A\\x1b[31mB');
    expect(showBytes(bytesOfText('A\nB'))).toBe('A\\x0aB');
    expect(showBytes(bytesOfBuffer(Buffer.from([0x41, 0xff])))).toBe('A\\xff');
    expect(showText('a\u202eb\u200bc\u2028d')).toBe('a\\u{202e}b\\u{200b}c\\u{2028}d');
    expect(showText('\u009b31m')).toBe('\\x9b31m');
    expect(showText('héllo ✓')).toBe('héllo ✓');
  });
});
