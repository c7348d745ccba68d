import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUILDS, Running, run, shim } from './support.ts';

const KINDS = [
  { isolation: 'filter', supervised: false },
  { isolation: 'filter', supervised: true },
  { isolation: 'barrier', supervised: true },
] as const;

const stateOf = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];

/** Until the process is in this state; the kernel tells nobody but the parent, so we look again and again. */
async function untilState(pid: number, wanted: string): Promise<void> {
  while (stateOf(pid) !== wanted) await new Promise((resolve) => setImmediate(resolve));
}

/** All processes whose command line holds this text. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A shell that counts the signals it gets, and tells on a line each. */
const COUNTING = (signals: string) => `${signals
  .split(' ')
  .map((name) => `trap 'n_${name}=$((n_${name}+1)); echo ${name}:$n_${name}' ${name};`)
  .join(' ')} trap 'echo bye; exit 33' PWR; echo ready $$; while :; do read line || sleep 1000 & wait; done`;

describe.each(BUILDS)('signals, with the %s build', (build) => {
  describe.each(KINDS)('$isolation, supervised: $supervised', ({ isolation, supervised }) => {
    const sh = shim({ build, isolation, lines: ['allow PATH', ...(supervised ? ['supervise'] : [])] });

    it('reach a command that traps them, once each, and its exit code comes back', async () => {
      const running = new Running(sh, ['-c', COUNTING('HUP INT QUIT TERM USR1 USR2 WINCH ALRM')]);
      await running.says(/ready/);
      for (const name of ['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'WINCH', 'ALRM'] as const) {
        running.child.kill(`SIG${name}`);
        await running.says(new RegExp(`${name}:1\n`));
      }
      running.child.kill('SIGPWR');
      expect(await running.ended).toEqual({ code: 33, signal: null });
      expect(running.output).not.toMatch(/:2/);
      expect(running.output).toContain('bye');
    });

    it('end a command that does not trap them, with 128+n', async () => {
      const running = new Running('/bin/sh', ['-c', `"$0" -c 'echo $PPID; exec sleep 1000'; echo code $?`, sh]);
      await running.says(/\d+\n/);
      const [tool] = processesWith(sh).filter((pid) => pid !== running.pid);
      process.kill(supervised ? (tool as number) : (processesWith('sleep\x001000').pop() as number), 'SIGTERM');
      await running.says(/code 143\n/);
    });

    it('ignored by the caller stay ignored', async () => {
      const running = new Running('/bin/sh', ['-c', `trap '' TERM; exec "$0" -c 'echo ready; read line; echo survived'`, sh]);
      await running.says(/ready/);
      running.child.kill('SIGTERM');
      running.child.stdin.end('x\n');
      await running.says(/survived/);
      expect((await running.ended).code).toBe(0);
    });

    it('stop and continue it: the caller sees a stopped child when the command stops itself', async () => {
      const running = new Running(sh, ['-c', 'echo ready; kill -STOP $$; echo continued; kill -TSTP $$; echo again']);
      await running.says(/ready/);
      await untilState(running.pid, 'T');
      expect(running.output).not.toContain('continued');
      running.child.kill('SIGCONT');
      await running.says(/continued/);
      running.child.kill('SIGCONT');
      await running.says(/again/);
      expect(await running.ended).toEqual({ code: 0, signal: null });
    });

    it('sent to the whole group arrive', async () => {
      const script = `set -m; "$0" -c '${COUNTING('TERM').replaceAll("'", `'"'"'`)}' & echo group $!; wait`;
      const running = new Running('/bin/bash', ['--norc', '-c', script, sh]);
      const [, group] = await running.says(/group (\d+)/);
      await running.says(/ready/);
      process.kill(-Number(group), 'SIGTERM');
      await running.says(/TERM:1/);
      process.kill(-Number(group), 'SIGPWR');
      await running.ended;
      // Between a supervisor that forwards and a group there is no telling without the inner process.
      if (!(supervised && isolation === 'filter')) expect(running.output).not.toMatch(/TERM:2/);
    });
  });

  it('that come before the command exists are not lost', () => {
    const sh = shim({ build, isolation: 'barrier', lines: ['allow PATH'] });
    const script = `import subprocess,signal,sys,os
for wait in range(0, 40):
    child = subprocess.Popen([sys.argv[1], '-c', 'exec sleep 1000'])
    for i in range(wait * 200): pass
    child.send_signal(signal.SIGTERM)
    code = child.wait()
    if code not in (143, -15): print('code', code)
print('done')`;
    expect(run('/usr/bin/python3', ['-c', script, sh]).stdout).toBe('done\n');
  });
});

describe('killed with -9', () => {
  it('the launcher leaves nothing behind the barrier', async () => {
    const mark = `mark-${process.pid}-${Date.now()}`;
    const sh = shim({ isolation: 'barrier', lines: ['allow PATH'] });
    const running = new Running(sh, ['-c', `(setsid sh -c 'echo one; exec sleep 1000 ${mark}' &) ; echo two; sleep 1000 ${mark}`]);
    await running.says(/one/);
    await running.says(/two/);
    running.child.kill('SIGKILL');
    await running.ended; // The pipes close only when the last process that holds them is gone.
    expect(processesWith(mark)).toEqual([]);
  });

  it('the launcher takes a supervised command with it', async () => {
    const sh = shim({ isolation: 'filter', lines: ['allow PATH', 'supervise'] });
    const running = new Running(sh, ['-c', 'echo ready; exec sleep 1000']);
    await running.says(/ready/);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(running.child.signalCode).toBe('SIGKILL');
  });

  it('bubblewrap ends the sandbox, and that is said', async () => {
    const sh = shim({ isolation: 'barrier', lines: ['allow PATH'] });
    const running = new Running(sh, ['-c', 'echo ready; exec sleep 1000']);
    await running.says(/ready/);
    const [bwrap] = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(bwrap), 'SIGKILL');
    expect(await running.ended).toEqual({ code: 137, signal: null });
    expect(running.errors).toBe('cordon: tool: the sandbox was ended from outside\n');
  });

  it('what a command left in the background ends with it', async () => {
    const mark = `mark-${process.pid}-${Date.now()}-b`;
    const sh = shim({ isolation: 'barrier', lines: ['allow PATH'] });
    const running = new Running(sh, ['-c', `sleep 1000 ${mark} & exit 3`]);
    expect(await running.ended).toEqual({ code: 3, signal: null });
    expect(processesWith(mark)).toEqual([]);
  });
});
