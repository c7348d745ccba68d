import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { begin, ended } from '../../support/escape-run.ts';
import { Scene } from '../../support/escape-scene.ts';
import { cordonRun, EVERYWHERE, UNTIL_INPUT } from './terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT', 'SIGWINCH'] as const;

const TRAP = (signal: string) => `${UNTIL_INPUT}
import sys
count = 0
def trapped(*_):
    global count
    count += 1
    os.write(1, b'trapped\\n')
signal.signal(signal.${signal}, trapped)
os.write(1, b'ready\\n')
until_input()
sys.exit(40 + count)
`;

const next = (stream: NodeJS.ReadableStream | null) =>
  new Promise<string>((resolve) => stream?.once('data', (text) => resolve(String(text).trim())));

vi.setConfig({ testTimeout: 60_000 });

describe.each(EVERYWHERE)('for %s with isolation %s', (user, isolation) => {
  const start = (script: string) => {
    const scene = new Scene(user);
    return begin({ scene, env: {}, starter: [], input: 'open' }, cordonRun(isolation, 'python3', '-c', script));
  };

  it.each(SIGNALS)(
    '%s sent to Cordon reaches a command that traps it, once, and its exit code comes back',
    async (signal) => {
      const child = start(TRAP(signal));
      expect(await next(child.stdout)).toBe('ready');
      child.kill(signal);
      expect(await next(child.stdout)).toBe('trapped');
      child.stdin?.end();
      expect((await ended(child)).code).toBe(41);
    },
  );

  it('a signal that the command does not trap ends it', async () => {
    const child = start(`print('ready', flush=True)\nimport sys\nsys.stdin.read()`);
    expect(await next(child.stdout)).toBe('ready');
    child.kill('SIGTERM');
    expect((await ended(child)).code).toBe(128 + 15);
  });

  it('signals that the caller ignores stay ignored, and blocked ones are not', async () => {
    const scene = new Scene(user);
    const starter = ['/bin/sh', '-c', 'trap \'\' HUP USR1; exec "$@"', 'sh'];
    const child = begin(
      { scene, env: {}, starter },
      cordonRun(isolation, 'grep', '-E', 'SigIgn|SigBlk', '/proc/self/status'),
    );
    const masks = Object.fromEntries(
      (await ended(child)).stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/:\s+/)),
    );
    expect(Number.parseInt(masks.SigIgn ?? '', 16) & 0b10_0000_0001).toBe(0b10_0000_0001);
    expect(Number.parseInt(masks.SigBlk ?? '', 16)).toBe(0);
  });

  it('a Cordon that is killed leaves nothing running', async () => {
    const child = start(`
import os, sys
${isolation === 'barrier' ? 'if os.fork() == 0: os.setsid()' : ''}
print(os.getpid(), flush=True)
os.read(os.pipe()[0], 1)
`);
    await next(child.stdout);
    const tree = descendantsOf(child.pid as number);
    expect(tree.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await Promise.all(tree.map(gone));
  });
});

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const descendantsOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

async function gone(pid: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; isAlive(pid); ) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What has ended and was not waited for yet runs no more. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
