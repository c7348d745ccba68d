import { describe, expect, it } from 'vitest';
import { BUILDS, entriesOf, run, shim } from './support.ts';

describe.each(BUILDS)('the environment of the command, by the %s build,', (build) => {
  const dump = (lines: readonly string[], env: Readonly<Record<string, string>>) => {
    const path = shim({ build, lines, command: '/usr/bin/env', args: ['env', '-0'] });
    return entriesOf(run(path, [], { env }))
      .map((entry) => entry.split('=')[0])
      .sort();
  };

  it('is empty without an allow rule', () => {
    expect(dump([], { A: '1', HOME: '/x' })).toEqual([]);
  });

  it('tells look-alikes apart', () => {
    const env = { AWS_REGION: '1', AWSX_REGION: '1', AWS: '1', XAWS_REGION: '1', aws_region: '1', AWS_: '1' };
    expect(dump(['allow AWS_*'], env)).toEqual(['AWS_', 'AWS_REGION']);
    expect(dump(['allow AWS'], env)).toEqual(['AWS']);
  });

  it('follows the order of kinds, whatever the order of lines', () => {
    const lines = ['allow *', 'deny D* DA', 'check locale L*', 'hold H', 'never N*', 'control C', 'replace R'];
    const env = { R: '1', C: '1', NX: '1', H: '1', L1: 'a/b', L2: 'ok', DA: '1', DB: '1', Z: '1' };
    expect(dump(lines, env)).toEqual(['DA', 'L2', 'PATH', 'Z']);
    expect(dump([...lines].reverse(), env)).toEqual(['DA', 'L2', 'PATH', 'Z']);
  });

  it('binds exceptions to their own deny rule', () => {
    const lines = ['allow *', 'deny *TOKEN* GH_TOKEN', 'deny GH_*'];
    expect(dump(lines, { GH_TOKEN: '1', X_TOKEN: '1', PATH: '' })).toEqual(['PATH']);
    expect(dump(lines.slice(0, 2), { GH_TOKEN: '1', X_TOKEN: '1', PATH: '' })).toEqual(['GH_TOKEN', 'PATH']);
  });

  it('never holds a shell function as value, and lets a set value win over an inherited one', () => {
    const path = shim({ build, lines: ['allow *', 'set A new'], command: '/usr/bin/env', args: ['env', '-0'] });
    expect(entriesOf(run(path, [], { env: { PATH: '', A: 'old', F: '() { :; }', G: '() ok' } })).sort()).toEqual([
      'A=new',
      'G=() ok',
      'PATH=',
    ]);
  });

  it('keeps one of several entries with a name, the first, and nothing without a name', () => {
    const path = shim({ build, lines: ['allow *'], command: '/usr/bin/env', args: ['env', '-0'] });
    const script = `import os,ctypes
libc=ctypes.CDLL(None)
def block(*e): return (ctypes.c_char_p*(len(e)+1))(*e,None)
libc.execve(b'${path}',block(b'tool'),block(b'A=1',b'B=() {',b'A=2',b'=x',b'bare',b'B=ok',b'\\xff.b%%=\\xfe'))`;
    const ran = run('/usr/bin/python3', ['-c', script]);
    expect(ran.stderr).toBe('');
    expect(entriesOf(ran)).toEqual(['A=1', '\xff.b%%=\xfe']);
  });

  it('checks values that steer file reads', () => {
    const lines = ['check locale LC_*', 'check tz TZ*', 'check term TERM*', 'allow *'];
    const good = {
      LC_A: 'de_DE.UTF-8',
      LC_B: '',
      TZ1: 'Europe/Berlin',
      TZ2: ':Europe/Berlin',
      TZ3: '/usr/share/zoneinfo/UTC',
      TZ4: ':/usr/share/zoneinfo/UTC',
      TZ5: '',
      TERM1: 'xterm-256color',
    };
    const bad = {
      LC_X: '../x',
      LC_Y: 'a%b',
      TZA: '/etc/x',
      TZB: ':/etc/x',
      TZC: 'a..b',
      TZD: 'a b',
      TZE: 'a%b',
      TZF: '\xc3',
      TZG: 'x'.repeat(4097),
      TZH: '/usr/share/zoneinfo/../x',
      TERMX: '/x',
    };
    expect(dump(lines, { ...good, ...bad, PATH: '' })).toEqual(['PATH', ...Object.keys(good)].sort());
  });
});

const MATCHES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['A', ['A'], ['AA', 'a', 'B']],
  ['A*', ['A', 'AB'], ['BA']],
  ['*A', ['A', 'BA'], ['AB']],
  ['*A*', ['A', 'BAB'], ['B']],
  ['A*B', ['AB', 'AXB', 'ABB'], ['A', 'B', 'BA', 'ABX']],
  ['A*AB*B', ['AABB', 'AXABXB'], ['AAB', 'ABB']],
  ['*AB*AB*', ['ABAB', 'XABXABX'], ['AB', 'ABA']],
  ['?', ['A', '_'], ['AB']],
  ['?A?', ['XAX'], ['A', 'XA', 'XXAX']],
  ['A?*', ['AB', 'ABC'], ['A']],
  ['[AB]X', ['AX', 'BX'], ['CX', '[AB]X']],
  ['[!AB]X', ['CX'], ['AX', 'X']],
  ['[A-C]', ['A', 'B', 'C'], ['D', '-']],
  ['[]A]', [']', 'A'], ['B']],
  ['[!]A]', ['B'], [']', 'A']],
  ['[A-]', ['A', '-'], ['B']],
  ['[-A]', ['A', '-'], ['B']],
  ['[A-C-E]', ['B', '-', 'E'], ['D']],
  ['[C-A]', [], ['A', 'B', 'C']],
  ['[!C-A]', ['A', 'B'], ['AB']],
  ['[^A]', ['^', 'A'], ['B']],
  ['*[0-9]', ['A1'], ['A', '1A']],
  ['A[*]B', ['A*B'], ['AXB']],
  ['A[?]', ['A?'], ['AX']],
  ['A\\\\*', ['A\\', 'A\\X'], ['A', 'AX']],
  ['**', ['A', ''], []],
];

describe('patterns', () => {
  it.each(MATCHES)('%s', (pattern, yes, no) => {
    const path = shim({ lines: [`allow ${pattern}`], command: '/usr/bin/env', args: ['env', '-0'] });
    const names = [...yes, ...no].filter((name) => name !== '');
    const ran = run(path, [], { env: Object.fromEntries([...names, 'PATH'].map((name) => [name, ''])) });
    const passed = entriesOf(ran).map((entry) => entry.slice(0, -1));
    expect(passed.filter((name) => names.includes(name)).sort()).toEqual(yes.filter((name) => name !== '').sort());
  });

  const long = 'a'.repeat(130_000);
  it.each([
    ['ten thousand stars', '*'.repeat(10_000)],
    ['stars with a letter between', `${'*a'.repeat(10_000)}*b`],
    ['stars with a question mark between', `${'*?'.repeat(10_000)}b`],
    ['a long literal', `*${'a'.repeat(60_000)}b*`],
    ['a long segment with holes', `*${'?a'.repeat(30_000)}b*`],
    ['a set between stars', `${'*[ab]'.repeat(5_000)}c`],
  ])('%s is no trouble on a long name', (_, pattern) => {
    const path = shim({ lines: [`deny ${pattern}`, 'allow *'], command: '/bin/true', args: ['true'] });
    const started = performance.now();
    expect(run(path, [], { env: { [long]: '' } }).code).toBe(0);
    expect(performance.now() - started).toBeLessThan(1500);
  });
});
