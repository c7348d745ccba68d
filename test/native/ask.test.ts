import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFolder, ROOT } from '../support/project.ts';

const LAUNCHER = join(ROOT, 'native/build/cordon-launch');

/** A launcher that asks for its plan over a socket, as it does in a container. */
async function asking(env: Readonly<Record<string, string>> = {}, ...more: readonly string[]) {
  const path = join(openFolder('ask'), 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const child = spawn(LAUNCHER, [`--ask-at=${path}`, ...more], { env: Object.assign(Object.create(null), env) });
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    socket.destroy();
    server.close();
    child.kill('SIGKILL');
  });
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code, signal) => resolve(signal === null ? (code ?? -1) : -1));
  });
  return { child, socket, heard: () => heard, ended, errors: text(child.stderr) };
}

const plan = (command: string, ...args: string[]) =>
  [
    ...['cordon-plan 2', 'name it', 'set A given', 'search /nowhere /usr/bin /bin', `command ${command}`],
    ...[command, ...args].map((arg) => `arg ${arg.replaceAll(' ', '\\s')}`),
    ...['isolation filter', 'supervise', 'end', ''],
  ].join('\n');

const eventually = <T>(look: () => T) => vi.waitFor(look, { timeout: 20_000, interval: 20 });
const running = (words: string) => spawnSync('pgrep', ['-f', words], { encoding: 'utf8' }).stdout.trim();

describe('a launcher that asks for its plan', () => {
  it('says what it was started with, and starts what it is told with what it is told', async () => {
    const { child, socket, heard, ended } = await asking({ OF_IMAGE: 'x', TWO: 'a\nb' });
    await eventually(() => expect(heard()).toBe('OF_IMAGE=x\0TWO=a\nb\0\0'));
    socket.write(plan('env'));
    expect(await text(child.stdout)).toBe('A=given\n');
    expect(await ended).toBe(0);
    expect(heard()).toBe('OF_IMAGE=x\0TWO=a\nb\0\0filter 0\n');
  });

  it('says first the word that it was given', async () => {
    const { heard } = await asking({ OF_IMAGE: 'x' }, '--ask-as=a-word');
    await eventually(() => expect(heard()).toBe('a-word\0OF_IMAGE=x\0\0'));
  });

  it('takes a plan that comes in pieces, and one that never comes is no start', async () => {
    const pieces = await asking();
    const whole = plan('sh', '-c', 'exit 6');
    pieces.socket.write(whole.slice(0, 20));
    await eventually(() => expect(pieces.heard()).toBe('\0'));
    pieces.socket.write(whole.slice(20));
    expect(await pieces.ended).toBe(6);
    const none = await asking();
    none.socket.end();
    expect(await none.ended).toBe(125);
  });

  it('passes a byte on as a signal', async () => {
    const { child, socket, ended } = await asking();
    socket.write(plan('sh', '-c', 'trap "exit 9" USR1; echo ready; while :; do sleep 0.05; done'));
    await once(child.stdout, 'data');
    socket.write(Uint8Array.of(10));
    expect(await ended).toBe(9);
  });

  it('ends the command and all it started when whoever asked is gone', async () => {
    const { child, socket, ended } = await asking();
    socket.write(plan('sh', '-c', '(sleep 4721 &) ; setsid sleep 4721 & echo ready; sleep 4721'));
    await once(child.stdout, 'data');
    await eventually(() => expect(running('^sleep 4721').split('\n').length).toBeGreaterThan(1));
    socket.destroy();
    await eventually(() => expect(running('^sleep 4721')).toBe(''));
    expect(await ended).toBe(125);
  });

  it('looks for a command where the plan says, and nowhere without', async () => {
    const { socket, ended, errors } = await asking();
    socket.write(plan('no-such-program'));
    expect(await ended).toBe(127);
    expect(await errors).toContain('no-such-program: not found');
    const without = await asking();
    without.socket.write(plan('env').replace(/^search.*\n/m, ''));
    expect(await without.ended).toBe(125);
    expect(await without.errors).toContain('a path with a `/`');
  });

  it('hands over a copy of itself that nobody can write to, root included', () => {
    const script = `
      (echo x > /proc/self/fd/3) && echo wrote; (echo x >> /proc/self/fd/3) && echo added; (echo x >&3) && echo wrote too
      /proc/self/fd/3 --version`;
    const { stdout } = spawnSync(LAUNCHER, ['--with-copy', '/bin/sh', '-c', script], { encoding: 'utf8' });
    expect(stdout).toMatch(/^cordon-launch \S+\n$/);
  });
});
