import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FrameReader, frames, KIND } from '../../src/launch/pods/frames.ts';
import { openFolder, ROOT } from '../support/project.ts';

const LAUNCHER = join(ROOT, 'native/build/cordon-launch');

/** A launcher behind its relay, as an exec into a pod starts it; `heard` is all that came of a kind. */
function relayed(folder = openFolder('relay'), mark = 'abc123') {
  const child = spawn(LAUNCHER, [`--relay=${folder}`], { env: Object.assign(Object.create(null), { OF_POD: 'x' }) });
  const heard: Record<string, string> = {};
  const reader = new FrameReader((kind, bytes) => {
    heard[kind] = `${heard[kind] ?? ''}${bytes.toString('latin1')}`;
    // It stays until its last words were heard.
    if (kind === KIND.exit) child.stdin.end();
  });
  child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const send = (kind: string, said = '') => child.stdin.write(frames(kind, Buffer.from(said, 'latin1')));
  send(KIND.owner, mark);
  return { child, folder, send, ended, of: (kind: string) => heard[kind] ?? '', errors: text(child.stderr) };
}

const plan = (...argv: [string, ...string[]]) =>
  [
    ...['cordon-plan 2', 'name it', 'set A given', 'search /usr/bin /bin', `command ${argv[0]}`],
    ...argv.map((arg) => `arg ${arg.replaceAll(' ', '\\s')}`),
    ...['isolation filter', 'supervise', 'end', ''],
  ].join('\n');

const eventually = <T>(look: () => T) => vi.waitFor(look, { timeout: 40_000, interval: 20 });
const running = (words: string) => spawnSync('pgrep', ['-f', words], { encoding: 'utf8' }).stdout.trim();

describe('a launcher whose only ways are standard input and output', () => {
  it('says what it was started with, takes its plan, and keeps outputs, control and exit code apart', async () => {
    const { send, ended, of, errors } = relayed();
    await eventually(() => expect(of(KIND.control)).toBe('OF_POD=x\0\0'));
    send(KIND.control, plan('sh', '-c', 'env | grep A=; echo wrong >&2; cat; exit 7'));
    send(KIND.input, 'some input');
    send(KIND.inputEnd);
    expect(await ended).toBe(0);
    expect([of(KIND.output), of(KIND.errors)]).toEqual(['A=given\nsome input', 'wrong\n']);
    expect([of(KIND.control), of(KIND.exit)]).toEqual(['OF_POD=x\0\0filter 7\n', '7']);
    expect(await errors).toBe('');
  });

  it('carries more than a pipe holds, both ways, and a reader that is slow loses nothing', async () => {
    const { child, send, ended, of } = relayed();
    const much = 'x'.repeat(3_000_000);
    send(KIND.control, plan('sh', '-c', 'sleep 0.2; cat | tee /dev/stderr'));
    send(KIND.input, much);
    send(KIND.inputEnd);
    child.stdout.pause();
    await eventually(() => expect(child.stdout.readableLength).toBeGreaterThan(0));
    child.stdout.resume();
    expect(await ended).toBe(0);
    expect([of(KIND.output) === much, of(KIND.errors) === much]).toEqual([true, true]);
  });

  it('passes signals on', async () => {
    const { send, ended, of } = relayed();
    send(KIND.control, plan('sh', '-c', 'trap "exit 9" USR1; echo ready; while :; do sleep 0.05; done'));
    await eventually(() => expect(of(KIND.output)).toBe('ready\n'));
    send(KIND.control, '\x0a');
    await ended;
    expect(of(KIND.exit)).toBe('9');
  });

  it.each([
    ['closes its end', (child: ReturnType<typeof relayed>['child']) => void child.stdin.end()],
    ['kills the relay', (child: ReturnType<typeof relayed>['child']) => void child.kill('SIGKILL')],
  ])('ends the command and all it started when whoever asked %s', async (_how, leave) => {
    const { child, send, of } = relayed();
    const seconds = `47${process.pid}`;
    send(
      KIND.control,
      plan('sh', '-c', `(sleep ${seconds} &) ; setsid sleep ${seconds} & echo ready; sleep ${seconds}`),
    );
    await eventually(() => expect(of(KIND.output)).toBe('ready\n'));
    leave(child);
    await eventually(() => expect(running(`^sleep ${seconds}`)).toBe(''));
  });

  it('ends it, too, when nothing is heard for a while: a machine that is gone closes no connection', async () => {
    const { send, of, ended } = relayed();
    const seconds = `48${process.pid}`;
    send(KIND.control, plan('sh', '-c', `echo ready; sleep ${seconds}`));
    await eventually(() => expect(of(KIND.output)).toBe('ready\n'));
    expect(await ended).toBe(125);
    expect(running(`^sleep ${seconds}`)).toBe('');
  });

  it('takes calls of one user only, and of two that come first at once both or one', async () => {
    const first = relayed();
    await eventually(() => expect(first.of(KIND.control)).toContain('\0'));
    expect(readdirSync(first.folder)).toEqual(['owner']);
    expect(readFileSync(join(first.folder, 'owner'), 'latin1')).toBe('abc123');
    const again = relayed(first.folder);
    await eventually(() => expect(again.of(KIND.control)).toContain('\0'));
    for (const mark of ['abc124', 'abc12', 'abc1233']) {
      const other = relayed(first.folder, mark);
      expect(await other.ended).toBe(125);
      expect(await other.errors).toContain('this pod has had another user');
      expect(other.of(KIND.control)).toBe('');
    }
    const folder = openFolder('fresh');
    const all = ['aa', 'bb', 'cc', 'dd'].map((mark) => relayed(folder, mark));
    const let_in = () => all.filter((one) => one.of(KIND.control) !== '').length;
    const refused = () => all.filter((one) => one.child.exitCode === 125).length;
    await eventually(() => expect([let_in(), refused()]).toEqual([1, 3]));
  });

  it.each(['', 'xyz', 'AB', 'a'.repeat(129), '../x'])('is nobody’s with the mark %j', async (mark) => {
    const { ended, errors, folder } = relayed(openFolder('relay'), mark);
    expect([await ended, await errors]).toEqual([125, expect.stringContaining('nobody said whose call this is')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('waits as the first process of a pod, and ends when it is told', async () => {
    const child = spawn('unshare', ['-rpf', '--kill-child', LAUNCHER, '--hold'], { stdio: 'ignore' });
    const inside = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').trim();
    const pid = Number(await eventually(() => inside() || Promise.reject()));
    // Before it says what it does with them, a first process gets no signals.
    await eventually(() => expect(readFileSync(`/proc/${pid}/status`, 'latin1')).toMatch(/^SigCgt:\s*0*4003$/m));
    process.kill(pid, 'SIGTERM');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  });
});
