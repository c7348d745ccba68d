import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILDS, run, shim } from './support.ts';

const KINDS = [
  { isolation: 'filter', supervised: false },
  { isolation: 'filter', supervised: true },
  { isolation: 'barrier', supervised: true },
] as const;

type Step = readonly ['send' | 'expect' | 'stopped', string] | readonly ['size', number, number];

function converse(steps: readonly Step[]): string {
  const driver = join(import.meta.dirname, 'fixtures/drive-terminal.py');
  const { code, stdout, stderr } = run('/usr/bin/python3', [
    driver,
    JSON.stringify([['expect', 'PROMPT> '], ...steps]),
  ]);
  expect(stderr + (code === 0 ? '' : stdout)).toBe('');
  return stdout;
}

const COUNTER = join(import.meta.dirname, 'fixtures/count-signals.py');

describe.each(BUILDS)('on a terminal, with the %s build', (build) => {
  describe.each(KINDS)('$isolation, supervised: $supervised,', ({ isolation, supervised }) => {
    const lines = ['allow PATH', 'allow TERM', ...(supervised ? ['supervise'] : [])];
    const sh = shim({ build, isolation, lines });
    const counter = shim({ build, isolation, lines, command: '/usr/bin/python3', args: ['python3', COUNTER] });

    it('Ctrl-C reaches a program that traps it, exactly once', () => {
      const shown = converse([
        ['send', `${counter} INT\n`],
        ['expect', 'ready\r\n'],
        ['send', '\x03'],
        ['expect', 'INT:1'],
        ['send', '\x03'],
        ['expect', 'INT:2'],
        ['send', 'typed\n'],
        ['expect', 'line:typed'],
      ]);
      expect(shown).not.toContain('INT:3');
    });

    it('so does a signal that was sent while it was stopped, and its exit code comes back', () => {
      const shown = converse([
        ['send', `${counter} INT\n`],
        ['expect', 'ready\r\n'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*PROMPT> '],
        ['stopped', 'python3'],
        ['send', 'kill -INT $(jobs -p); fg\n'],
        ['expect', 'INT:1'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*PROMPT> '],
        ['stopped', 'python3'],
        ['send', 'kill -PWR $(jobs -p); fg; echo code $?\n'],
        ['expect', 'code 33'],
      ]);
      expect(shown).not.toContain('INT:2');
    });

    it('Ctrl-C ends a program that does not trap it, and the loop around it', () => {
      const shown = converse([
        ['send', `for i in 1 2; do ${sh} -c 'echo rea''dy; exec sleep 1000'; done\n`],
        ['expect', 'ready\r\n'],
        ['send', '\x03'],
        ['expect', 'PROMPT> '],
        ['send', 'echo code $?\n'],
        ['expect', 'code 130'],
      ]);
      expect(shown.match(/ready/g)).toHaveLength(1);
    });

    it('Ctrl-Z stops it, fg and bg continue it', () => {
      converse([
        ['send', `${counter} CONT\n`],
        ['expect', 'ready\r\n'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*PROMPT> '],
        ['stopped', 'python3'],
        ['send', 'fg\n'],
        ['expect', 'CONT:1'],
        ['send', 'one\n'],
        ['expect', 'line:one'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*PROMPT> '],
        ['stopped', 'python3'],
        ['send', 'bg\n'],
        ['expect', 'CONT:'],
        // It reads from a terminal that is not its own now.
        ['expect', 'Stopped'],
        ['stopped', 'python3'],
        ['send', 'fg\n'],
        ['expect', 'CONT:'],
        ['send', 'two\n'],
        ['expect', 'line:two'],
      ]);
    });

    it('the window size and its change arrive', () => {
      converse([
        ['size', 30, 100],
        ['send', `${sh} -c 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done'\n`],
        ['expect', '30 100\r\n'],
        ['size', 41, 77],
        ['expect', '41 77\r\n'],
      ]);
    });

    it('an interactive shell has its own job control and gives the terminal back', () => {
      const bash = shim({
        build,
        isolation,
        lines: [...lines, 'set PS1 INNER>'],
        command: '/bin/bash',
        args: ['bash', '--norc', '-i'],
      });
      const shown = converse([
        ['send', `sh -c '${bash}; echo af''ter; read line; echo read:$line'\n`],
        ['expect', 'INNER>'],
        ['send', `sh -c 'echo run''ning; exec sleep 1000'\n`],
        ['expect', 'running\r\n'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*INNER>'],
        ['send', 'exit\n'],
        ['expect', 'stopped jobs(.|\n)*INNER>'],
        ['send', 'exit\n'],
        ['expect', 'after\r\n'],
        ['send', 'line\n'],
        ['expect', 'read:line'],
      ]);
      expect(shown).not.toContain('no job control');
    });

    it('takes part in a pipeline that is stopped and continued as a whole', () => {
      converse([
        ['send', `${counter} CONT | cat -u\n`],
        ['expect', 'ready\r\n'],
        ['send', '\x1a'],
        ['expect', 'Stopped(.|\n)*PROMPT> '],
        ['stopped', 'python3'],
        ['send', 'fg\n'],
        ['expect', 'CONT:1'],
        ['send', 'through\n'],
        ['expect', 'line:through'],
        ['send', '\x03'],
        ['expect', 'PROMPT> '],
      ]);
    });
  });
});
