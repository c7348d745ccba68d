import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';

/** A login session of ordinary size, nothing secret in it. */
export function environmentOf60(): readonly (readonly [Bytes, Bytes])[] {
  const variables: readonly (readonly [string, string])[] = [
    ['PATH', '/home/bob/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['LS_COLORS', '*.tar=01;31:'.repeat(120)],
    ['DBUS_SESSION_BUS_ADDRESS', 'unix:path=/run/user/1000/bus'],
    ['GITHUB_SHA', '0123456789abcdef'.repeat(3).slice(0, 40)],
    ['HTTPS_PROXY', 'http://proxy.example.com:3128'],
    ...Array.from({ length: 55 }, (_, i) => setting(i)),
  ];
  return variables.map(([name, value]) => [bytesOfText(name), bytesOfText(value)]);
}

function setting(i: number): readonly [string, string] {
  return [`SETTING_${i}`, i % 3 === 0 ? `/usr/lib/some/where/${i}/x.so` : `value-${i}`];
}

/** What a rule with nested repetitions would choke on. */
export const HOSTILE_UNITS: readonly string[] = [
  ...['eyJ', 'eyJ.', 'eyJhxxxxxxxxxxxx.', 'https://a', 'https://a@', 'x://a:b/', '://', '://@', ':', '@', '/'],
  ...['-----BEGIN ', 'basic ', 'bearer ', 'password=', 'password: a b ', '"auth":"', 'token=', 'api-key:'],
  ...['curl -u a:', 'jdbc:oracle:a:a/', '%3a', '%', ' ', '=', 'A', 'a1', 'deadbeef', 'AAAA.', '\n', '"', '\\'],
];

export function repeated(unit: string, length: number, ending = ''): Bytes {
  return bytesOfText(unit.repeat(Math.ceil(length / unit.length)) + ending);
}

export function hostile(length: number): readonly { unit: string; value: Bytes; tenth: Bytes }[] {
  return HOSTILE_UNITS.map((unit) => ({
    unit,
    value: repeated(unit, length, ' @!'),
    tenth: repeated(unit, length / 10, ' @!'),
  }));
}
