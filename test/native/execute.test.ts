import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { BUILDS, ISOLATIONS, planLines, Running, run, shim, writeShim } from './support.ts';

const KINDS = ISOLATIONS.flatMap((isolation) => [
  { isolation, supervised: false },
  ...(isolation === 'filter' ? [{ isolation, supervised: true }] : []),
]);

describe.each(BUILDS)('a command, started by the %s build', (build) => {
  describe.each(KINDS)('with $isolation, supervised: $supervised,', ({ isolation, supervised }) => {
    const lines = ['allow PATH', ...(supervised ? ['supervise'] : [])];
    const sh = shim({ build, isolation, lines });
    const shimOf = (command: string, args = ['x']) => shim({ build, isolation, lines, command, args });

    it('gives its exit code, whichever', () => {
      const codes = build === 'release' ? '$(seq 0 255)' : '0 1 77 125 126 127 128 255';
      const script = `for code in ${codes}; do "$0" -c "exit $code"; test $? = $code || echo $code; done; echo done`;
      expect(run('/bin/sh', ['-c', script, sh])).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    });

    it.each(['HUP', 'INT', 'QUIT', 'ILL', 'ABRT', 'FPE', 'KILL', 'SEGV', 'PIPE', 'ALRM', 'TERM', 'USR1'])(
      'that dies of SIG%s is 128+n to the caller',
      (signal) => {
        const script = `ulimit -c 0; "$0" -c 'kill -${signal} $$'; code=$?; test $code = $((128 + $(/bin/kill -l ${signal}))) || echo $code`;
        expect(run('/bin/sh', ['-c', script, sh]).stdout).toBe('');
      },
    );

    it('gets its arguments byte for byte', () => {
      const script = `exec "$0" -c 'printf "%s|" "$@"' x "$(printf '\\377\\001')" '' 'a\nb' ' c  d ' '*' '$HOME' '--' '-e'`;
      expect(run('/bin/bash', ['--norc', '-c', script, sh]).stdout).toBe('\xff\x01||a\nb| c  d |*|$HOME|--|-e|');
    });

    it('gets argv[0] as the plan says, even an empty one', () => {
      const path = shim({
        build,
        isolation,
        lines,
        command: '/usr/bin/python3',
        args: ['\\e', '-c', 'import\\ssys;print(repr(open("/proc/self/cmdline").read().split("\\\\0")[0]))'],
      });
      expect(run(path).stdout).toBe("''\n");
    });

    it('gets 100 MB through stdin and back unchanged', () => {
      const input = Buffer.alloc(build === 'release' ? 100 << 20 : 5 << 20);
      for (let i = 0; i < input.length; i += 4) input.writeUInt32LE((i * 2654435761) >>> 0, i);
      const { stdout, status } = spawnSync(sh, ['-c', 'cat'], {
        input,
        maxBuffer: 1 << 28,
        env: { PATH: '/usr/bin:/bin' },
      });
      expect(status).toBe(0);
      expect(createHash('sha256').update(stdout).digest('hex')).toBe(createHash('sha256').update(input).digest('hex'));
    });

    it('has no descriptor but 0, 1 and 2', () => {
      const script = `exec "$0" -c 'for fd in /proc/$$/fd/*; do test -e "$fd" && echo "\${fd##*/}"; done' 3</etc/passwd 4<. 9>/dev/null`;
      expect(run('/bin/bash', ['--norc', '-c', script, sh]).stdout).toBe('0\n1\n2\n');
    });

    it('keeps the working folder', () => {
      const folder = openFolder('cwd');
      expect(run(sh, ['-c', 'pwd -P'], { cwd: folder }).stdout).toBe(`${folder}\n`);
    });

    it('is 127 when it is not there', () => {
      expect(run(shimOf('/no/such'))).toMatchObject({
        code: 127,
        stdout: '',
        stderr: expect.stringContaining('cordon: tool: /no/such: not found'),
      });
      expect(run(shimOf('/etc/passwd/x')).code).toBe(127);
    });

    it('is 126 when it cannot be run', () => {
      const folder = openFolder('exec');
      const file = (name: string, text: string, mode: number) => {
        writeFileSync(join(folder, name), text);
        chmodSync(join(folder, name), mode);
        return join(folder, name);
      };
      mkdirSync(join(folder, 'folder'));
      for (const command of [join(folder, 'folder'), file('plain', 'x', 0o644), file('lost', '#!/no/such\n', 0o755)]) {
        const { code, stderr } = run(shimOf(command));
        expect(code).toBe(126);
        expect(stderr).toContain(`cordon: tool: ${command}: `);
      }
    });

    it('that is a script without its first line runs in the shell', () => {
      const path = join(openFolder('script'), 'script');
      writeFileSync(path, 'echo "$0" "$@"\n');
      chmodSync(path, 0o755);
      expect(run(shimOf(path, ['x', 'one']), ['two']).stdout).toBe(`${path} one two\n`);
    });

    it('obeys its limits', () => {
      const path = shim({
        build,
        isolation,
        lines: [...lines, 'limit core 0', 'limit nofile 99', 'limit fsize 1048576'],
      });
      expect(run(path, ['-c', 'ulimit -Hc; ulimit -Sn; ulimit -Hn']).stdout).toBe('0\n99\n99\n');
    });

    it('keeps an ignored and a blocked signal as the caller had it', () => {
      const script = `import os,signal,sys
signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
os.execv(sys.argv[1], ['x', '-E', 'Sig(Blk|Ign|Cgt)', '/proc/self/status'])`;
      const direct = run('/usr/bin/python3', ['-c', script, '/bin/grep']).stdout;
      expect(run('/usr/bin/python3', ['-c', script, shimOf('/bin/grep')]).stdout).toBe(direct);
      expect(direct).toMatch(/SigBlk:\s0*800\n/);
    });

    it('is refused with a reason when stdin or stdout is closed', () => {
      const closed = (redirect: string) => run('/bin/sh', ['-c', `"$0" -c 'echo ran >&2' ${redirect}`, sh]);
      expect(closed('<&-')).toMatchObject({
        code: 125,
        stderr: 'cordon: launch: standard input is closed; give it one, for example </dev/null\n',
      });
      expect(closed('>&-')).toMatchObject({ code: 125, stderr: expect.stringContaining('standard output is closed') });
      expect(closed('2>&-')).toMatchObject({ code: 0 });
    });

    it('that closes its output ends what is read from it, though it runs on', async () => {
      const running = new Running(sh, ['-c', 'exec >&- 2>&-; read line; exit 5']);
      await once(running.child.stdout, 'end');
      running.child.stdin.end('go on\n');
      expect(await running.ended).toEqual({ code: 5, signal: null });
    });
  });
});

describe('a large environment', () => {
  it('of 5 MB passes when the stack limit is raised', () => {
    const sets = Array.from({ length: 50 }, (_, i) => `set BIG_${i} ${String(i % 10).repeat(100_000)}`);
    for (const isolation of ISOLATIONS) {
      const path = writeShim([...planLines({ isolation, lines: [...sets, 'allow PATH'] }), 'append-args']);
      const { stdout, stderr } = run('/bin/sh', ['-c', 'ulimit -s unlimited; exec "$0" -c "env | wc -c"', path]);
      expect(stderr).toBe('');
      expect(Number(stdout)).toBeGreaterThan(5_000_000);
    }
  });

  it('that does not fit is 126 with the reason', () => {
    const sets = Array.from({ length: 50 }, (_, i) => `set BIG_${i} ${'x'.repeat(100_000)}`);
    const path = writeShim([...planLines({ lines: sets }), 'append-args']);
    expect(readFileSync(path).length).toBeGreaterThan(5_000_000);
    expect(run('/bin/sh', ['-c', 'ulimit -s 8192; exec "$0" -c true', path])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('too long'),
    });
  });
});
