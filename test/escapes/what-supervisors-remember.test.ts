import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended, SHELL } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const descendantsOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** Everything a debugger run by root would see of a process: its memory, and what /proc shows. */
async function remembers(pid: number, text: string): Promise<boolean> {
  if (['environ', 'cmdline'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text))) return true;
  const memory = await open(`/proc/${pid}/mem`);
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      if (from === '' || /\[v(var|syscall|var_vclock)\]/.test(line)) continue;
      const size = Number.parseInt(to, 16) - Number.parseInt(from, 16);
      const { buffer } = await memory.read(Buffer.alloc(size), 0, size, Number.parseInt(from, 16));
      if (buffer.includes(text)) return true;
    }
    return false;
  } finally {
    await memory.close();
  }
}

/** The launcher has helpers that end while the command goes on: what is gone remembers nothing. */
async function isRunningAnd(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Its supervisor forgets beside a command that starts, and lets go of the input when it has: on a busy machine the command is ahead. */
async function untilLetGo(supervisor: number): Promise<void> {
  while (readlinkSync(`/proc/${supervisor}/fd/0`) !== '/dev/null')
    await new Promise((resolve) => setImmediate(resolve));
}

/** A command that says it runs and waits for the end of its input. */
const WAIT = ['/bin/sh', '-c', 'echo running; read line'];

async function running(scene: Scene, flags: readonly string[]) {
  const argv = [cordonProgram(), 'run', ...flags, '--', ...WAIT];
  const child = begin({ scene, env: { API_TOKEN: scene.canary }, starter: SHELL, input: 'open' }, argv);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const end = () => {
    child.stdin?.end('\n');
    return ended(child);
  };
  return { shell: child.pid as number, end };
}

// Only root may look into these processes at all, so only root can see that there is nothing to find.
describe.each(USERS)('while a command of %s runs', (user) => {
  it.each(['barrier', 'filter'])(
    'no process between it and its caller knows a dropped value (%s)',
    async (isolation) => {
      const scene = new Scene(user);
      const { shell, end } = await running(scene, ['--isolation', isolation]);
      const chain = descendantsOf(shell);
      expect(chain.length).toBeGreaterThanOrEqual(2);
      expect(await remembers(shell, scene.canary)).toBe(true);
      await untilLetGo(chain[0] as number);
      const knowing = [];
      for (const pid of chain) if (await isRunningAnd(() => remembers(pid, scene.canary))) knowing.push(nameOf(pid));
      expect(knowing).toEqual([]);
      expect((await end()).code).toBe(0);
    },
  );

  it('no Node process is left', async () => {
    const { shell, end } = await running(new Scene(user), []);
    expect(descendantsOf(shell).map(nameOf)).not.toContain('node');
    expect((await end()).code).toBe(0);
  });

  it('a value that is set or injected is in no command line', async () => {
    const scene = new Scene(user);
    const { end } = await running(scene, ['--credential', 'INJECTED=env://API_TOKEN']);
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandLine);
    expect(lines.join('\n')).toContain('INJECTED');
    expect(lines.join('\n')).not.toContain(scene.canary);
    expect((await end()).code).toBe(0);
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
