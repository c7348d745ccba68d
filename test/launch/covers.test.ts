import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { cordonProgram, freshHome } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** Answers each path: closed once it can't be opened, or what is in it after half a minute of trying. */
const LOOKS = `
import sys, time
for line in sys.stdin:
    found, end = 'closed', time.monotonic() + float(sys.argv[1])
    while True:
        try: found = open(line.strip()).read().strip()
        except FileNotFoundError: found = 'absent'
        except PermissionError: found = 'closed'
        if found == 'closed' or time.monotonic() > end: break
    print(found, flush=True)
`;

/** A workspace in which a command looks at files while they are changed from outside. */
class Scene {
  readonly home: string;
  readonly work: string;
  readonly #user: User;
  #child: ChildProcessWithoutNullStreams | undefined;
  #answers: AsyncIterator<string> | undefined;
  said = '';

  constructor(user: User) {
    this.#user = user;
    this.home = freshHome(user);
    this.work = join(this.home, 'work');
    mkdirSync(join(this.work, '.git'), { recursive: true });
    chownSync(this.work, identityOf(user).uid, identityOf(user).gid);
    this.put('.env', 'KEY=first');
    this.put('settings/deep/key', 'first');
    this.put('../notes/key', 'first');
  }

  /** As editors save. */
  put(name: string, text: string): void {
    const { uid, gid } = identityOf(this.#user);
    const path = join(this.work, name);
    mkdirSync(dirname(path), { recursive: true });
    for (let folder = dirname(path); folder.startsWith(this.home); folder = dirname(folder))
      chownSync(folder, uid, gid);
    writeFileSync(`${path}.new`, text);
    chownSync(`${path}.new`, uid, gid);
    renameSync(`${path}.new`, path);
  }

  start(flags: readonly string[], seconds = 30): this {
    const child = spawn(cordonProgram(), ['run', ...flags, '--', 'python3', '-c', LOOKS, String(seconds)], {
      ...identityOf(this.#user),
      cwd: this.work,
      env: { HOME: this.home, PATH: '/usr/bin:/bin' },
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.said += chunk.toString();
    });
    this.#child = child;
    this.#answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    return this;
  }

  async look(name: string): Promise<string> {
    this.#child?.stdin.write(`${name}\n`);
    return (await this.#answers?.next())?.value ?? `ended: ${this.said}`;
  }

  /** Processes that the launcher started, but for the first one of the sandbox. */
  keepers(): number[] {
    const pid = this.#child?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return children.filter((child) => readFileSync(`/proc/${child}/comm`, 'utf8') !== 'cordon-inner\n');
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    child.stdin.end();
    await once(child, 'close');
  }
}

const scenes: Scene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.end();
});
const sceneOf = (user: User) => {
  const scene = new Scene(user);
  scenes.push(scene);
  return scene;
};

const HIDDEN = ['--hide', '.env', '--hide', 'settings/deep/key'];

describe.each(USERS)('a hidden file in a folder that is shown as it is, as %s', (user) => {
  test('stays hidden when somebody outside replaces it', async () => {
    const scene = sceneOf(user).start(HIDDEN);
    expect(await scene.look('.env')).toBe('closed');
    for (const text of ['KEY=second', 'KEY=third']) {
      scene.put('.env', text);
      expect(await scene.look('.env')).toBe('closed');
    }
    rmSync(join(scene.work, '.env'));
    writeFileSync(join(scene.work, '.env'), 'KEY=fourth');
    expect(await scene.look('.env')).toBe('closed');
    expect(readFileSync(join(scene.work, '.env'), 'utf8')).toBe('KEY=fourth');
  });

  test('whatever takes its place first', async () => {
    const scene = sceneOf(user).start(['--fs', 'workspace', ...HIDDEN]);
    expect(await scene.look('.env')).toBe('closed');
    rmSync(join(scene.work, '.env'));
    symlinkSync('elsewhere', join(scene.work, '.env'));
    rmSync(join(scene.work, '.env'));
    mkdirSync(join(scene.work, '.env'));
    rmSync(join(scene.work, '.env'), { recursive: true });
    scene.put('.env', 'KEY=second');
    expect(await scene.look('.env')).toBe('closed');
  });

  test('and when a folder above it is another one', async () => {
    const scene = sceneOf(user).start(HIDDEN);
    expect(await scene.look('settings/deep/key')).toBe('closed');
    renameSync(join(scene.work, 'settings'), join(scene.work, 'old'));
    scene.put('settings/deep/key', 'second');
    expect(await scene.look('settings/deep/key')).toBe('closed');
    expect(await scene.look('old/deep/key')).toBe('closed');
    rmSync(join(scene.work, 'settings/deep'), { recursive: true });
    scene.put('settings/deep/key', 'third');
    expect(await scene.look('settings/deep/key')).toBe('closed');
  });

  test('also in what --read shows', async () => {
    const scene = sceneOf(user).start(['--read', '~/notes', '--hide', '~/notes/key']);
    expect(await scene.look('../notes/key')).toBe('closed');
    scene.put('../notes/key', 'second');
    expect(await scene.look('../notes/key')).toBe('closed');
  });

  test('by a process out of reach of the command: without it the file is shown, and that is said', async () => {
    const scene = sceneOf(user).start(HIDDEN, 0);
    expect(await scene.look('.env')).toBe('closed');
    const [keeper, ...others] = scene.keepers();
    expect([typeof keeper, others]).toEqual(['number', []]);
    process.kill(keeper as number, 'SIGKILL');
    while (!scene.said.includes('is gone')) await new Promise((resolve) => setImmediate(resolve));
    scene.put('.env', 'KEY=second');
    expect(await scene.look('.env')).toBe('KEY=second');
    expect(scene.said).toContain(
      'what is hidden in the workspace is shown from now on when somebody outside replaces it',
    );
  });

  test("Cordon's own folder that somebody outside makes anew meanwhile is left alone, without a word", async () => {
    const scene = sceneOf(user);
    const own = join(scene.home, '.config/cordon');
    const makeAnew = (text: string) => {
      rmSync(own, { recursive: true, force: true });
      scene.put('../.config/cordon/cordon.toml', text);
      // As Cordon itself writes it; each time a cover is taken off and the number of its mount is free for another.
      for (let i = 0; i < 5; i++) scene.put('../.config/cordon/cordon.toml', `${text}# ${i}`);
    };
    const tool = (name: string) => `[tools.${name}]\nenv_base = "none"\n`;
    makeAnew(tool('first'));
    scene.start(['--fs', 'all'], 0);
    await scene.look('.env');
    for (let i = 0; i < 5; i++) makeAnew(tool(`t${i}`));
    await scene.end();
    expect(readFileSync(join(own, 'cordon.toml'), 'utf8')).toBe(`${tool('t4')}# 4`);
    expect(readdirSync(dirname(own))).toEqual(['cordon']);
    expect(scene.said).toBe('');
  });

  test('which is gone with the command, and not there where nothing needs it', async () => {
    const scene = sceneOf(user).start(HIDDEN);
    await scene.look('.env');
    const [keeper] = scene.keepers();
    await scene.end();
    expect(readdirSync('/proc')).not.toContain(String(keeper));
    const plain = sceneOf(user).start([], 0);
    expect(await plain.look('.env')).toBe('KEY=first');
    expect(plain.keepers()).toEqual([]);
  });
});
