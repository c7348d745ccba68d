import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { CordonError } from '../../src/host/errors.ts';
import { Redaction } from '../../src/redact/redaction.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { Secret } from '../../src/secrets/secret.ts';

type Values = Readonly<Record<string, string>>;

function redactionOf(values: Values): Redaction {
  return new Redaction(
    new Map(Object.entries(values).map(([name, value]) => [name as Bytes, new Secret(bytesOfText(value))])),
  );
}

function redacted(redaction: Redaction, chunks: readonly (string | Buffer)[]): string {
  const redactor = new Redactor(redaction);
  const pieces = chunks.flatMap((chunk) => redactor.push(Buffer.from(chunk as string)));
  return Buffer.concat([...pieces, ...redactor.end()]).toString('latin1');
}

const hide = (values: Values, ...chunks: (string | Buffer)[]) => redacted(redactionOf(values), chunks);

const KEY = 'sk-live/4f+9ä Q~zz1';
const utf8 = Buffer.from(KEY, 'utf8');

describe('forms', () => {
  const forms: Record<string, string> = {
    'as it is': utf8.toString('latin1'),
    base64: utf8.toString('base64'),
    'base64 without padding': utf8.toString('base64').replace(/=+$/, ''),
    base64url: utf8.toString('base64url'),
    'base64url with padding': utf8.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    hex: utf8.toString('hex'),
    'upper hex': utf8.toString('hex').toUpperCase(),
    encodeURIComponent: encodeURIComponent(KEY),
    encodeURI: encodeURI(KEY),
    'lower URL encoding': encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
    'form encoding': new URLSearchParams({ k: KEY }).toString().slice(2),
    'all in percent signs': [...utf8].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    'all by number in JSON': [...KEY].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    'all by number in a page': [...KEY].map((unit) => `&#${unit.charCodeAt(0)};`).join(''),
    JSON: Buffer.from(JSON.stringify(KEY).slice(1, -1)).toString('latin1'),
  };

  test.each(Object.entries(forms))('%s is replaced wholly', (_, form) => {
    const text = `before <${form}> after`;
    expect(hide({ KEY }, Buffer.from(text, 'latin1'))).toBe('before <[KEY]> after');
  });

  test.each([0, 1, 2, 3, 4, 5])('base64 of something longer, %i bytes before it', (count) => {
    const text = Buffer.concat([Buffer.alloc(count, 'x'), utf8, Buffer.from('yyyy')]).toString('base64');
    const result = hide({ KEY }, text);
    expect(result).toContain('[KEY]');
    // What is left on either side is what the neighbours decide, and at most one character that the value shares with them.
    const [before = '', after = ''] = result.split('[KEY]');
    expect(before.length).toBe(Math.ceil((count * 8) / 6));
    expect(after.length).toBeLessThanOrEqual(8);
  });

  test('lines of a key, on their own and with another line ending', () => {
    const lines = [
      '-----BEGIN KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0BAQ',
      'EFAASCBKcwggSjAgEAAoIBAQ',
      '-----END KEY-----',
    ];
    const PEM = lines.join('\n');
    expect(hide({ PEM }, PEM)).toBe('[PEM]');
    expect(hide({ PEM }, lines.join('\r\n'))).toBe('[PEM]');
    expect(hide({ PEM }, `  1 ${lines[1]}\n`)).toBe('  1 [PEM]\n');
  });

  test('base64 as tools wrap it', () => {
    const LONG = 'a-long-secret-0123456789'.repeat(6);
    const text = Buffer.from(LONG).toString('base64');
    for (const width of [64, 76]) {
      const wrapped = text.replace(new RegExp(`.{${width}}(?!$)`, 'g'), '$&\n');
      expect(hide({ LONG }, wrapped)).toBe('[LONG]');
    }
  });

  test('a value with nothing to encode is still one label', () => {
    expect(hide({ A: 'abcdef' }, 'xabcdefx')).toBe('x[A]x');
  });

  test('a look-alike stays', () => {
    expect(hide({ A: 'secret-value' }, 'secret-valuf secret-valu SECRET-VALUE')).toBe(
      'secret-valuf secret-valu SECRET-VALUE',
    );
  });
});

describe('overlaps', () => {
  test('the longest of several that begin alike', () => {
    const values = { SHORT: 'token-1', LONG: 'token-1234' };
    expect(hide(values, 'token-1234 token-1 token-12')).toBe('[LONG] [SHORT] [SHORT]2');
  });

  test('two that overlap leave nothing of either', () => {
    expect(hide({ A: 'abcdef', B: 'defghijk' }, '<abcdefghijk>')).toBe('<[B]>');
  });

  test('one inside another, and the outer one does not come', () => {
    const values = { INNER: 'inside', OUTER: 'x-inside-and-inside-y' };
    expect(hide(values, 'x-inside-and-inside-z')).toBe('x-[INNER]-and-[INNER]-z');
    expect(hide(values, 'x-inside-and-inside-y')).toBe('[OUTER]');
  });

  test('one after the other are two labels', () => {
    expect(hide({ A: 'abcdef' }, 'abcdefabcdef')).toBe('[A][A]');
  });
});

describe('streams', () => {
  test('split anywhere, even byte by byte', () => {
    const text = `one ${KEY} two ${utf8.toString('base64')} three`;
    const bytes = Buffer.from(text);
    const whole = hide({ KEY }, bytes);
    expect(whole).toBe('one [KEY] two [KEY] three');
    for (let at = 0; at <= bytes.length; at++)
      expect(hide({ KEY }, bytes.subarray(0, at), bytes.subarray(at))).toBe(whole);
    expect(hide({ KEY }, ...[...bytes].map((byte) => Buffer.from([byte])))).toBe(whole);
  });

  test('what cannot be the beginning of a secret goes out at once', () => {
    const redactor = new Redactor(redactionOf({ A: 'secret-value' }));
    const out = (text: string) => Buffer.concat(redactor.push(Buffer.from(text))).toString();
    expect(out('Password: ')).toBe('Password: ');
    expect(out('ends in secr')).toBe('ends in ');
    expect(out('ecy')).toBe('secrecy');
    expect(out('secret-')).toBe('');
    expect(Buffer.concat(redactor.end()).toString()).toBe('secret-');
  });

  test('a value that repeats itself without end takes no memory', () => {
    const redactor = new Redactor(redactionOf({ A: 'aaaaaa' }));
    const chunk = Buffer.alloc(1 << 20, 'a');
    let size = 0;
    for (let i = 0; i < 16; i++) for (const piece of redactor.push(chunk)) size += piece.length;
    expect(size).toBe(0);
    expect(Buffer.concat([...redactor.push(Buffer.from('b')), ...redactor.end()]).toString()).toBe('[A]b');
  });

  test('a long secret printed byte by byte stays linear', () => {
    const LONG = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + ((i * i) % 26))).join('');
    const redactor = new Redactor(redactionOf({ LONG }));
    const pieces = [...LONG].flatMap((byte) => redactor.push(Buffer.from(byte)));
    expect(Buffer.concat([...pieces, ...redactor.end()]).toString()).toBe('[LONG]');
  });

  /** Every byte that belongs to a form of a secret, found the slow way. */
  function model(values: Values, text: string): string {
    const covered = new Array<number>(text.length).fill(-1);
    const forms = (value: string) => [
      value,
      Buffer.from(value).toString('hex'),
      Buffer.from(value).toString('hex').toUpperCase(),
    ];
    for (const [at, value] of Object.values(values).entries())
      for (const form of forms(value))
        for (let from = text.indexOf(form); from !== -1; from = text.indexOf(form, from + 1))
          for (let i = from; i < from + form.length; i++) covered[i] = at;
    return [...text].filter((_, i) => covered[i] === -1).join('');
  }

  test('agrees with a slow search, whatever the values and the chunks', () => {
    const letters = (min: number, max: number) =>
      fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: min, maxLength: max });
    fc.assert(
      fc.property(
        fc.array(letters(6, 12), { minLength: 1, maxLength: 6 }),
        fc.array(letters(0, 40), { maxLength: 12 }),
        (secrets, noise) => {
          const values = Object.fromEntries(secrets.map((value, i) => [`S${i}`, value]));
          const chunks = noise.flatMap((text, i) => [text, secrets[i % secrets.length] as string]);
          const redaction = redactionOf(values);
          const plain = redacted(redaction, chunks).replace(/\[S\d\]/g, '');
          expect(plain).toBe(model(values, chunks.join('')));
          expect(redacted(redaction, [chunks.join('')]).replace(/\[S\d\]/g, '')).toBe(plain);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('leaves everything else as it is', () => {
    const redaction = redactionOf({ KEY, OTHER: 'another-secret' });
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const buffers = chunks.map((chunk) => Buffer.from(chunk));
        expect(redacted(redaction, buffers)).toBe(Buffer.concat(buffers).toString('latin1'));
      }),
    );
  });
});

test('a value too short to be told from other text is refused', () => {
  expect(() => redactionOf({ PIN: '12345' })).toThrow(CordonError);
  expect(() => redactionOf({ PIN: '12345' })).toThrow(/PIN.*fewer than 6 bytes/);
});
