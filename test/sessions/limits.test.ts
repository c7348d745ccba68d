import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { inMain, put, scene } from './support.ts';

const MEBI = 2 ** 20;

function call(command: string, limits: object, options: object = {}): string {
  return `const s = await open({ limits: ${JSON.stringify(limits)} });
    const r = show(await s.bash(${JSON.stringify(command)}, ${JSON.stringify(options)})); await s.close(); return r;`;
}

describe.each(USERS)('limits of a session of %s', (user) => {
  it('memory', async () => {
    const result = await inMain(
      scene(user),
      call("python3 -c 'b = bytearray(400 << 20); print(len(b))'", { memory: 200 * MEBI }),
    );
    expect(result).toMatchObject({ stdout: '', limit: expect.stringContaining('memory limit of 200 MiB') });
    expect(result.exitCode).not.toBe(0);
  });

  it('processes: a thousand children are not had', async () => {
    const command = 'for i in $(seq 1000); do sleep 30 & done; wait';
    const result = await inMain(scene(user), call(command, { processes: 50 }, { timeoutMs: 4000 }));
    expect(result.limit).toContain('limit of 50 processes');
  });

  it('processor time', async () => {
    const result = await inMain(scene(user), call('exec sh -c "while :; do :; done"', { cpuSeconds: 1 }));
    expect(result).toMatchObject({
      exitCode: 152,
      timedOut: false,
      limit: expect.stringContaining('1 s of processor time'),
    });
  });

  it('one file', async () => {
    const result = await inMain(scene(user), call('exec head -c 3M /dev/zero > big', { fileSize: MEBI }));
    expect(result).toMatchObject({ exitCode: 153, limit: expect.stringContaining('1 MiB for one file') });
  });

  it('output: what comes is counted, and its beginning is kept', async () => {
    const result = await inMain(scene(user), call('printf abcdef; printf xy >&2', {}, { maxOutput: 3 }));
    expect(result).toMatchObject({
      stdout: 'abc',
      stderr: 'xy',
      truncated: true,
      outputBytes: 8,
      limit: expect.stringContaining('output'),
    });
  });

  it('a gigabyte of output leaves memory as it was', async () => {
    const here = scene(user);
    const result = await inMain(
      here,
      `const s = await open(); await s.bash('true'); const before = process.memoryUsage().rss; let most = 0;
       const r = await s.bash('head -c 1G /dev/zero', { maxOutput: 1000, onOutput: () => { most = Math.max(most, process.memoryUsage.rss()); } });
       await s.close(); return { grown: most - before, kept: r.stdout.length, bytes: r.outputBytes, code: r.exitCode };`,
    );
    expect(result).toMatchObject({ kept: 1000, bytes: 2 ** 30, code: 0 });
    expect(result.grown).toBeLessThan(200 * MEBI);
  });

  it('the file of the output has an end too', async () => {
    const here = scene(user);
    const result = await inMain(
      here,
      call('head -c 3M /dev/zero', { outputFile: MEBI }, { outputFile: 'out.bin', maxOutput: 10 }),
    );
    expect(result.limit).toContain('the limit of 1 MiB for the output file');
    expect(statSync(join(here.workspace, 'out.bin')).size).toBe(MEBI);
  });

  it('time, and 124 is the limit only when it was', async () => {
    const script = `const s = await open(); const all = [];
      for (const [c, timeoutMs] of [['sleep 60', 200], ['exit 124', 60000], ['exit 152', 60000]]) all.push(show(await s.bash(c, { timeoutMs })));
      await s.close(); return all;`;
    const [limited, own, cpu] = await inMain(scene(user), script);
    expect(limited).toMatchObject({
      exitCode: 124,
      timedOut: true,
      limit: expect.stringContaining('time limit of 0.2 s'),
    });
    expect(own).toMatchObject({ exitCode: 124, timedOut: false });
    expect([own.limit, cpu.limit]).toEqual([undefined, undefined]);
  });

  it('a command that ignores TERM is ended all the same', async () => {
    const result = await inMain(
      scene(user),
      call('trap "" TERM; echo on; while :; do sleep 0.1; done', {}, { timeoutMs: 2000 }),
    );
    expect(result).toMatchObject({ exitCode: 124, timedOut: true, stdout: 'on\n' });
  });

  it("git's settings are put back also by the end of a command that ignores TERM", async () => {
    const here = scene(user);
    const planted =
      'git init -q; git config core.fsmonitor evil; trap "" TERM INT HUP; echo on; while :; do sleep 0.1; done';
    const result = await inMain(here, call(planted, {}, { timeoutMs: 2000 }));
    expect(result).toMatchObject({ exitCode: 124, timedOut: true, stdout: 'on\n' });
    expect(readFileSync(join(here.workspace, '.git/config'), 'utf8')).not.toContain('evil');
  });

  it('one that heeds TERM has its moment', async () => {
    const result = await inMain(
      scene(user),
      call('trap "echo tidy; exit 3" TERM; echo on; while :; do sleep 0.05; done', {}, { timeoutMs: 2000 }),
    );
    expect(result).toMatchObject({ timedOut: true, stdout: 'on\ntidy\n' });
  });

  it('cancelling ends the whole tree', async () => {
    const script = `const s = await open(); const stop = new AbortController();
      const running = s.bash('(setsid sleep 4711 &) ; sleep 4711 & echo on; wait', { signal: stop.signal, onOutput: () => stop.abort() });
      const { cancelled, timedOut } = await running;
      const early = await s.bash('echo never', { signal: AbortSignal.abort() });
      const left = fs.readdirSync('/proc').filter((pid) => { try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8') === 'sleep\\x004711\\x00'; } catch { return false; } });
      await s.close(); return { cancelled, timedOut, left, early: show(early) };`;
    expect(await inMain(scene(user), script)).toMatchObject({
      cancelled: true,
      timedOut: false,
      left: [],
      early: { cancelled: true, stdout: '' },
    });
  });

  it('a profile sets them, and bad ones are refused', async () => {
    const here = scene(user);
    put(here, 'cordon/profiles/small.yaml', 'session: { output: 4, timeout_seconds: 2, file_size: 1M }\n');
    put(here, 'cordon/profiles/bad.yaml', 'session: { memory: lots, blocked_hosts: ["a b"], path: [bin] }\n');
    const [small, bad, none] = await inMain(
      here,
      `const s = await open({ profile: 'small' }); const r = show(await s.bash('echo 123456; sleep 9')); await s.close();
       return [r, await refused(open({ profile: 'bad' })), await refused(open({ limits: { memory: -1 } }))];`,
    );
    expect(small).toMatchObject({ stdout: '1234', timedOut: true, truncated: true });
    expect(bad).toMatchObject({ kind: 'policy', where: expect.stringContaining('bad.yaml:1') });
    expect(none).toMatchObject({ kind: 'session', message: expect.stringContaining('memory') });
  });
});
