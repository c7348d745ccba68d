import { describe, expect, it, vi } from 'vitest';
import { cordonProgram, runAs } from '../../support/cordon.ts';
import { Scene } from '../../support/escape-scene.ts';
import { EVERYTHING } from '../../support/extent.ts';
import { EVERYWHERE } from './terminal.ts';

const ALL = Array.from({ length: 256 }, (_, code) => code);
const SIGNALS = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  XCPU: 24,
  XFSZ: 25,
  VTALRM: 26,
  PROF: 27,
  SYS: 31,
};

vi.setConfig({ testTimeout: 240_000 });

describe.each(EVERYWHERE)('for %s with isolation %s', (user, isolation) => {
  /** One launch for each script, several at a time; what its caller sees of its end. */
  function endsOf(scripts: readonly string[]): Map<string, number> {
    const { home, work: cwd } = new Scene(user);
    const one = `"$0" run --isolation ${isolation} -- /bin/sh -c "$1"; echo "$? $1"`;
    const args = ['-d', '\\n', '-P', '4', '-I', '{}', '/bin/sh', '-c', one, cordonProgram(), '{}'];
    const { stdout } = runAs('xargs', args, { user, home, cwd, input: scripts.join('\n') });
    return new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => [line.slice(line.indexOf(' ') + 1), Number.parseInt(line, 10)]),
    );
  }

  it('every exit code comes back', () => {
    const some = ALL.filter((code) => code % 17 === 0 || (code > 120 && code < 132));
    const codes = EVERYTHING && isolation === 'barrier' ? ALL : some;
    expect(endsOf(codes.map((code) => `exit ${code}`))).toEqual(new Map(codes.map((code) => [`exit ${code}`, code])));
  });

  it('death by a signal is 128 and its number', () => {
    const deaths = Object.entries(SIGNALS).map(([name, number]) => [`kill -${name} $$`, 128 + number] as const);
    expect(endsOf(deaths.map(([script]) => script))).toEqual(new Map(deaths));
  });

  it('what cannot be started has its own codes', () => {
    const { home, work: cwd } = new Scene(user);
    const code = (...argv: string[]) =>
      runAs(cordonProgram(), ['run', '--isolation', isolation, '--', ...argv], { user, home, cwd }).code;
    expect([code('no-such-command'), code('./absent'), code('/etc/passwd'), code('/usr')]).toEqual([
      127, 127, 126, 126,
    ]);
  });
});
