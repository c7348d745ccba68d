import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cordonProgram, freshHome, runCordon } from '../../support/cordon.ts';
import { openCopy } from '../../support/project.ts';
import { USERS } from '../../support/users.ts';

const TERMINAL = openCopy(join(import.meta.dirname, 'fixtures/in-terminal.py'));
const VALUE = 'value-77aa10c4-of-the-test';
const UNTIL_INTERRUPTED =
  "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); print('go'+'ing', flush=True); time.sleep(100)";

describe.each(USERS)('as %s', (user) => {
  let [home, cwd] = ['', ''];
  beforeAll(() => {
    [home, cwd] = [freshHome(user), freshHome(user)];
    runCordon(['creds', 'set', 'KEY'], { user, home, input: VALUE });
  });

  const redacted = (...command: string[]) =>
    runCordon(['run', '--credential', 'KEY', '--redact', '--', ...command], { user, home, cwd });

  describe('through pipes', () => {
    test('both streams, and the exit code', () => {
      const script = 'echo "out $KEY"; echo "err $KEY" >&2; printf %s "$KEY" | base64; exit 7';
      expect(redacted('sh', '-c', script)).toEqual({ code: 7, stdout: 'out [KEY]\n[KEY]\n', stderr: 'err [KEY]\n' });
    });

    test('a value written in two parts', () => {
      const script = `import os,sys,time
k=os.environ['KEY']
os.write(1,('a '+k[:9]).encode()); time.sleep(.2); os.write(1,(k[9:]+' b').encode())`;
      expect(redacted('python3', '-c', script).stdout).toBe('a [KEY] b');
    });

    test('100 MB stay what they are', () => {
      const script =
        'head -c 100000000 /dev/zero | tr "\\0" v | tee /dev/stderr 2>/dev/null | md5sum; head -c 100000000 /dev/zero | tr "\\0" v';
      const { stdout } = redacted('sh', '-c', script);
      expect(stdout.length).toBe(100_000_000 + '  -\n'.length + 32);
    });

    test('without redaction, the value is there: the tests above could fail', () => {
      expect(runCordon(['run', '--credential', 'KEY', '--', 'printenv', 'KEY'], { user, home }).stdout).toBe(
        `${VALUE}\n`,
      );
    });

    test('a signal reaches the command', async () => {
      const { uid, gid } = statSync(home);
      const script = 'trap "echo caught $KEY; exit 3" TERM; echo ready; while :; do sleep 0.05; done';
      const child = spawn(cordonProgram(), ['run', '--credential', 'KEY', '--redact', '--', 'sh', '-c', script], {
        uid,
        gid,
        env: { HOME: home, PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd,
      });
      let shown = '';
      child.stdout.on('data', (chunk: Buffer) => {
        if (shown === '') child.kill('SIGTERM');
        shown += chunk.toString();
      });
      const [code] = await once(child, 'close');
      expect({ code, shown }).toEqual({ code: 3, shown: 'ready\ncaught [KEY]\n' });
    });

    test('death by a signal is 128 and its number', () => {
      expect(redacted('sh', '-c', 'kill -KILL $$').code).toBe(137);
    });

    test('a reader that goes away ends the command', () => {
      const { status, stdout } = spawnSync(
        'bash',
        ['-c', `"$0" run --credential KEY --redact -- yes "$PWD" | head -n 1; echo \${PIPESTATUS[0]}`, cordonProgram()],
        {
          ...identity(),
          encoding: 'utf8',
          timeout: 30_000,
        },
      );
      expect(status).toBe(0);
      expect(stdout.split('\n')[0]).toBe(home);
    });

    const identity = () => {
      const { uid, gid } = statSync(home);
      return { uid, gid, env: { HOME: home, PATH: '/usr/bin:/bin' }, cwd: home };
    };

    test('a value that is too short for it is refused before anything starts', () => {
      runCordon(['creds', 'set', 'PIN'], { user, home, input: '1234' });
      const result = runCordon(['run', '--credential', 'PIN', '--redact', '--', 'echo', 'started'], { user, home });
      expect(result).toMatchObject({ code: 125, stdout: '', stderr: expect.stringContaining('PIN') });
    });
  });

  describe('on a terminal', () => {
    type Step = readonly [string, ...(string | number)[]];

    function inTerminal(flags: readonly string[], command: readonly string[], steps: readonly Step[]) {
      const { uid, gid } = statSync(home);
      const args = ['run', '--credential', 'KEY', '--redact', ...flags, '--', ...command];
      const { stdout, stderr } = spawnSync('setsid', ['python3', TERMINAL, cordonProgram(), ...args], {
        uid,
        gid,
        cwd,
        env: { PATH: '/usr/bin:/bin', HOME: home, TERM: 'xterm' },
        input: steps.map((step) => JSON.stringify(step)).join('\n'),
        encoding: 'utf8',
        timeout: 90_000,
      });
      expect(stderr).toBe('');
      return JSON.parse(stdout) as { shown: string; exit: number; restored: boolean };
    }

    describe.each(['barrier', 'filter'])('%s', (isolation) => {
      const flags = ['--isolation', isolation];

      test('the command has a terminal of the same size, colours pass, values do not', () => {
        const script =
          'test -t 0 && test -t 1 && test -t 2 && stty size; printf "\\033[31m%s\\033[0m\\n" "$KEY"; echo "$KEY" >&2; exit 4';
        const { shown, exit, restored } = inTerminal(flags, ['sh', '-c', script], []);
        expect(shown).toBe('33 77\r\n\u001b[31m[KEY]\u001b[0m\r\n[KEY]\r\n');
        expect({ exit, restored }).toEqual({ exit: 4, restored: true });
      });

      test('typing, a new size and Ctrl-C reach it, a prompt shows at once', () => {
        const script = `trap 'stty size' WINCH; printf 'name? '; read name; echo "hello $name"; trap 'echo interrupted; exit 5' INT
          echo waiting; while :; do sleep 0.05; done`;
        const { shown, exit, restored } = inTerminal(
          flags,
          ['sh', '-c', script],
          [
            ['expect', 'name? '],
            ['send', 'world\r'],
            ['expect', 'hello world'],
            ['expect', 'waiting'],
            ['resize', 20, 50],
            ['expect', '20 50'],
            ['send', '\u0003'],
            ['expect', 'interrupted'],
          ],
        );
        expect(shown).toContain('name? world\r\nhello world\r\n');
        expect({ exit, restored }).toEqual({ exit: 5, restored: true });
      });

      test('an interactive shell has job control', () => {
        const { shown, exit } = inTerminal(
          flags,
          ['bash', '--norc', '--noprofile', '-i'],
          [
            ['expect', user === 'root' ? '# ' : '$ '],
            // The one that says so is the one that sleeps, and the kernel ends it: a shell in between may lose an interrupt
            // while it starts its child, Python's own handler one that comes just before its sleep.
            ['send', `python3 -c "${UNTIL_INTERRUPTED}"\r`],
            ['expect', 'going'],
            ['send', '\u0003'],
            ['expect', user === 'root' ? '# ' : '$ '],
            ['send', 'echo "fg"-"$?"\r'],
            ['expect', 'fg-130'],
            ['send', 'exit 6\r'],
          ],
        );
        expect(shown).not.toContain('no job control');
        expect(exit).toBe(6);
      });

      test('a signal from elsewhere reaches it, and the terminal is put back', () => {
        const script = "trap 'echo hung up; exit 8' HUP; echo ready; while :; do sleep 0.05; done";
        const { exit, restored } = inTerminal(
          flags,
          ['sh', '-c', script],
          [
            ['expect', 'ready'],
            ['signal', 1],
            ['expect', 'hung up'],
          ],
        );
        expect({ exit, restored }).toEqual({ exit: 8, restored: true });
      });
    });
  });
});
