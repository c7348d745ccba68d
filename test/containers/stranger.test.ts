import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually, IMAGE, podman, Scene, talksOf } from './scene.ts';

const VALUE = 'known-to-the-launcher-alone';
const words = (engine: string) => [
  ...['run', '--net', 'off', '--in', `${engine}:${IMAGE}`, '--set', `MINE=${VALUE}`, '--', 'sh', '-c', 'echo $MINE'],
];

const socketsOf = (scene: Scene) =>
  (existsSync(talksOf(scene)) ? readdirSync(talksOf(scene)) : [])
    .map((name) => join(talksOf(scene), name, 'talk/socket'))
    .filter((path) => existsSync(path));

/** Connects before the launcher does, as one who reaches the socket could, and tells what it hears. */
async function intrude(scene: Scene, said: string): Promise<string> {
  for (;;) {
    const [path] = socketsOf(scene);
    const heard = path === undefined ? undefined : await askAt(path, said);
    if (heard !== undefined) return heard;
    await setTimeout(2);
  }
}

/** Undefined where nobody listens yet. */
async function askAt(path: string, said: string): Promise<string | undefined> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  const isThere = new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  if (!(await isThere)) return undefined;
  const folder = join(path, '../..');
  expect(statSync(folder).mode).toBe(0o40700);
  expect(statSync(join(folder, '..')).mode).toBe(0o40700);
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  socket.write(said);
  await new Promise((resolve) => socket.once('close', resolve));
  return heard;
}

const SAID = [
  ['no word', 'PATH=/bin\0\0'],
  ['a wrong word', `${'0'.repeat(32)}\0PATH=/bin\0\0`],
  ['a word that begins as none', `${'0'.repeat(64)}`],
] as const;

describe.each(['podman', 'docker'])('who asks for a plan of %s before the launcher does', (engine) => {
  it.each(SAID)('with %s is told nothing, and nothing starts', async (_, said) => {
    const scene = new Scene();
    const ran = scene.start(words(engine));
    expect(await intrude(scene, said)).toBe('');
    expect(await ran.ended).toBe(125);
    expect(await ran.errors).toContain('something else than the launcher of this start asked for its plan');
    expect(ran.said()).toBe('');
    expect(readdirSync(talksOf(scene))).toEqual([]);
    expect(podman('ps', '--all', '--quiet').stdout).toBe('');
  });
});

it('is told nothing either where the container was begun ahead', async () => {
  const scene = new Scene();
  const first = scene.run(words('podman'));
  expect(first.stdout).toBe(`${VALUE}\n`);
  const ran = scene.start(words('podman'));
  expect(await intrude(scene, SAID[0][1])).toBe('');
  expect(await ran.ended).toBe(125);
  expect(await ran.errors).toContain('something else than the launcher of this start');
  expect(readdirSync(talksOf(scene))).toEqual([]);
});

it.each([
  ['--fs', 'all'],
  ['--write', tmpdir()],
  ['--read', '/'],
])('a command beside with %s %s finds no socket', async (...flags) => {
  const scene = new Scene();
  const running = scene.start([...words('podman').slice(0, -1), 'echo ready; sleep 20']);
  await eventually(() => expect(readdirSync(talksOf(scene))).toHaveLength(1));
  const look = `for i in 1 2 3 4 5 6 7 8 9 10; do find ${talksOf(scene)} 2>/dev/null; sleep 0.1; done`;
  const found = scene.run(['run', ...flags, '--', 'sh', '-c', `cd /; ${look}`]);
  expect(found.stdout).toBe('');
  running.child.kill('SIGKILL');
  await running.ended;
});

it('removes what a killed start has left, and nothing of one that goes on', () => {
  const scene = new Scene();
  const gone = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
  for (const pid of [gone, String(process.pid)]) {
    mkdirSync(join(talksOf(scene), `${pid}-abcdef/talk`), { recursive: true, mode: 0o700 });
    writeFileSync(join(talksOf(scene), `${pid}-abcdef/talk/socket`), '');
  }
  expect(scene.run(words('podman')).stdout).toBe(`${VALUE}\n`);
  expect(readdirSync(talksOf(scene))).toEqual([`${process.pid}-abcdef`]);
});

it('refuses a state folder whose name leaves no room for a socket', () => {
  const scene = new Scene();
  const state = join(scene.home, 'a'.repeat(100));
  mkdirSync(state);
  const { status, stderr } = scene.run(words('podman'), { env: { XDG_STATE_HOME: state } });
  expect({ status, stderr }).toEqual({ status: 125, stderr: expect.stringContaining('too long a name for a socket') });
});
