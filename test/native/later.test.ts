import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BARRIER, BUILDS, programs } from './support.ts';

const FIRST = ['cordon-plan 2', 'name tool', 'later', 'isolation barrier', ...BARRIER, 'end', ''].join('\n');
const second = (...lines: string[]) => ['cordon-plan 2', ...lines, 'end', ''].join('\n');
const SCRIPT = ['command /bin/sh', 'arg sh', 'arg -c', 'arg echo\\s"$A";\\sexit\\s7', 'set A b\\sc'];

describe.each(BUILDS.filter((build) => build !== 'arm64'))('a plan that comes in two texts (%s build)', (build) => {
  const program = join(programs(build), 'cordon-launch');

  function started() {
    const child = spawn(program, ['--plan-fd=3'], {
      env: { NODE_V8_COVERAGE: undefined },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const socket = child.stdio[3] as Duplex;
    const ended = Promise.all([
      ...[child.stdout, child.stderr].map((one) => text(one as Duplex)),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    return { child, socket, ended };
  }

  it('makes the sandbox with the first, says so, and runs the second in it', async () => {
    const { socket, ended } = started();
    socket.write(FIRST);
    expect(String((await once(socket, 'data'))[0])).toBe('r');
    socket.end(second(...SCRIPT));
    expect(String((await once(socket, 'data'))[0])).toBe('s');
    expect(await ended).toEqual(['b c\n', '', 7]);
  });

  it('takes both at once, and one that is longer than a message', async () => {
    const { socket, ended } = started();
    const long = 'x'.repeat(100_000);
    socket.resume();
    socket.end(`${FIRST}${second('command /bin/sh', 'arg sh', 'arg -c', 'arg echo\\s$#', 'arg a', `arg ${long}`)}`);
    expect(await ended).toEqual(['1\n', '', 0]);
  });

  it('ends with the sandbox where no second one comes', async () => {
    const { socket, ended } = started();
    socket.write(FIRST);
    await once(socket, 'data');
    socket.end();
    expect(await ended).toEqual(['', '', 125]);
  });

  it.each([
    ['says how it is held', second(...SCRIPT, 'network off'), 'too late for network'],
    ['shows more', second(...SCRIPT, 'read /etc'), 'too late for read'],
    ['waits again', second(...SCRIPT, 'later'), 'too late for later'],
    ['runs nothing', second('set A b'), 'the plan has no `command`'],
    ['was cut short', 'cordon-plan 2\ncommand /bin/sh\narg sh\n', 'it has no `end`'],
  ])('refuses a second one that %s', async (_, rest, why) => {
    const { socket, ended } = started();
    socket.resume();
    socket.end(`${FIRST}${rest}`);
    const [stdout, stderr, code] = await ended;
    expect([stdout, code]).toEqual(['', 125]);
    expect(stderr).toContain(why);
  });

  it('refuses a first one that says what runs', async () => {
    const { socket, ended } = started();
    socket.resume();
    socket.end(FIRST.replace('later', 'later\nset A b'));
    expect(await ended).toEqual(['', expect.stringContaining('says what runs all the same'), 125]);
  });
});

describe.each(BUILDS.filter((build) => build !== 'arm64'))('the process that starts launchers (%s build)', (build) => {
  const program = join(programs(build), 'cordon-launch');
  const frame = (kind: string, number: number, payload: string | Buffer = '') => {
    const head = Buffer.alloc(9);
    head.write(kind);
    head.writeUInt32LE(number, 1);
    head.writeUInt32LE(Buffer.byteLength(payload), 5);
    return Buffer.concat([head, Buffer.from(payload as string)]);
  };
  const plan = (line: string) =>
    second(
      'name tool',
      'command /bin/sh',
      'arg sh',
      'arg -c',
      `arg ${line.replaceAll(' ', '\\s')}`,
      'isolation barrier',
      ...BARRIER,
    );

  /** The frames that are whole, as launch, kind and what was said, and what is left. */
  function framesIn(bytes: Buffer): { frames: [number, string, string][]; rest: Buffer } {
    const end = bytes.length < 9 ? Number.POSITIVE_INFINITY : 9 + bytes.readUInt32LE(5);
    if (end > bytes.length) return { frames: [], rest: bytes };
    const [kind, payload] = [String.fromCharCode(bytes[0] as number), bytes.subarray(9, end)];
    const said = kind === 'x' ? String(payload.readInt32LE()) : payload.toString('latin1');
    const { frames, rest } = framesIn(bytes.subarray(end));
    return { frames: [[bytes.readUInt32LE(1), kind, said], ...frames], rest };
  }

  /** What was said about each launch, by kind, until so many have ended. */
  async function heard(socket: Duplex, count: number) {
    const found: Record<string, Record<string, string>> = {};
    let bytes: Buffer = Buffer.alloc(0);
    for await (const chunk of socket) {
      const { frames, rest } = framesIn(Buffer.concat([bytes, chunk as Buffer]));
      bytes = rest;
      for (const [number, kind, said] of frames) {
        const launch = found[number] ?? {};
        found[number] = { ...launch, [kind]: `${launch[kind] ?? ''}${said}` };
      }
      if (Object.values(found).filter(({ x }) => x !== undefined).length === count) break;
    }
    return found;
  }

  function begun() {
    const child = spawn(program, [`--launches=${process.pid}`], {
      env: { NODE_V8_COVERAGE: undefined },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    return {
      socket: child.stdio[3] as Duplex,
      closed: new Promise((resolve) => child.once('close', resolve)),
      pid: child.pid,
    };
  }

  it('keeps apart what several read and write, with frames in any pieces', async () => {
    const { socket, closed } = begun();
    const all = Buffer.concat(
      [1, 2, 3].flatMap((number) => [
        frame('n', number),
        frame('i', number, `input of ${number}`),
        frame('q', number, plan(`cat; echo errors of ${number} >&2; exit ${number}`)),
      ]),
    );
    for (let at = 0; at < all.length; at += 7) socket.write(all.subarray(at, at + 7));
    const found = await heard(socket, 3);
    for (const number of [1, 2, 3])
      expect(found[number]).toMatchObject({
        1: `input of ${number}`,
        2: `errors of ${number}\n`,
        c: 's',
        x: String(number),
      });
    socket.destroy();
    expect(await closed).toBe(0);
  });

  it('keeps nobody waiting for a command that does not read', async () => {
    const { socket, closed } = begun();
    socket.write(Buffer.concat([frame('n', 1), frame('i', 1, 'x'.repeat(1 << 20)), frame('q', 1, plan('sleep 4790'))]));
    socket.write(Buffer.concat([frame('n', 2), frame('i', 2), frame('q', 2, plan('echo here; exit 3'))]));
    const found = await heard(socket, 1);
    expect(found[2]).toMatchObject({ 1: 'here\n', x: '3' });
    socket.destroy();
    await closed;
  });

  it('starts nothing for another process, and ends with its caller', async () => {
    const child = spawn(program, ['--launches=1'], {
      env: { NODE_V8_COVERAGE: undefined },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(125);
  });
});
