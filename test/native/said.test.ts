import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS, type User } from '../support/users.ts';
import { BUILDS, type Build, BWRAP, writeShim } from './support.ts';

const masked = (text: string) => text.replace(/(?<=put-aside-)[0-9a-f]+/g, 'X');

/** A folder that an agent keeps what was said in, and one with a folder for each project. */
class Scene {
  readonly root = openFolder('said');
  readonly work;
  readonly said = join(this.root, 'said');
  readonly projects = join(this.root, 'projects');
  readonly #ids;
  readonly #shim;

  constructor(user: User, build: Build, { lengthOfWork = 0, otherFolders = 0 } = {}) {
    this.work = join(this.root, 'work').padEnd(lengthOfWork, 'k');
    this.#ids = identityOf(user);
    for (const folder of [this.work, this.said, this.projects]) mkdirSync(folder);
    const others = Array.from({ length: otherFolders }, (_, i) => join(this.root, `other${i}`));
    for (const folder of others) mkdirSync(folder);
    symlinkSync('/mine', join(this.said, 'mine'));
    for (const path of [this.root, this.work, this.said, this.projects, join(this.said, 'mine'), ...others])
      spawnSync('chown', ['-h', `${this.#ids.uid}:${this.#ids.gid}`, path]);
    const lines = [
      ...['cordon-plan 2', 'name t', 'allow *', 'command /bin/sh', 'arg sh', 'append-args', 'isolation barrier'],
      ...[`bwrap ${BWRAP}`, 'root machine', 'cut /', 'private /tmp 1777', 'private /var/tmp 1777'],
      ...[
        'workspace here real',
        ...others.map((path) => `write-plain ${path}`),
        `write-plain ${this.said}`,
        `write-project ${this.projects} memory`,
      ],
      ...['proc', 'dev', `git-notes ${this.root}/state`],
    ];
    this.#shim = writeShim(lines, { build });
    chownSync(this.#shim, this.#ids.uid, this.#ids.gid);
  }

  get own(): string {
    return join(this.projects, this.work.replace(/[^A-Za-z0-9]/g, '-'));
  }

  get #options() {
    return { cwd: this.work, env: { PATH: '/usr/bin:/bin' }, ...this.#ids } as const;
  }

  run(script: string, before: readonly string[] = []) {
    const [program = '', ...args] = [...before, this.#shim, '-c', script];
    const { status, stderr, stdout } = spawnSync(program, args, { ...this.#options, encoding: 'utf8' });
    return { code: status, stdout, stderr: masked(stderr) };
  }

  /** The launcher alone, or all that it started with it. */
  async killed(script: string, what: 'alone' | 'with its group', meanwhile?: () => void) {
    const args = ['-c', `${script}; echo ready; exec sleep 600`];
    const child = spawn(this.#shim, args, { ...this.#options, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    meanwhile?.();
    process.kill(what === 'alone' ? (child.pid as number) : -(child.pid as number), 'SIGKILL');
    // Closed by the last of them.
    await once(child, 'close');
  }

  /** Until whoever holds the note has ended. */
  settled(): void {
    for (const name of readdirSync(join(this.root, 'state')))
      spawnSync('flock', [join(this.root, 'state', name), 'true']);
  }

  /** What is put aside each time under another name is one. */
  names = (folder = '.') => [...new Set(readdirSync(join(this.said, folder)).map(masked))].sort();
}

const PLANT = 'ln -s /etc/passwd "$S/link"; mkdir -p "$S/a/b"; mkfifo "$S/a/b/pipe"; echo said >"$S/a/plain"';
const LINK = ' was made a link by the command, and is now ';
const PIPE = ' was made by the command and is not a plain file, and is now ';

describe.each(USERS)('where an agent keeps what was said, as %s,', (user) => {
  const plant = (scene: Scene) => PLANT.replaceAll('$S', scene.said);
  const check = (scene: Scene) => {
    expect(scene.names()).toEqual(['a', 'link.put-aside-X', 'mine']);
    expect(scene.names('a/b')).toEqual(['pipe.put-aside-X']);
    expect(readFileSync(join(scene.said, 'a/plain'), 'utf8')).toBe('said\n');
  };
  const told = (scene: Scene) => [
    `cordon: t: ${scene.said}/a/b/pipe${PIPE}pipe.put-aside-X`,
    `cordon: t: ${scene.said}/link${LINK}link.put-aside-X`,
  ];
  const linesOf = (text: string) => text.trimEnd().split('\n').sort();

  it.each(BUILDS)('nothing but plain files of the command stays (%s)', (build) => {
    const scene = new Scene(user, build);
    const { code, stderr } = scene.run(`${plant(scene)}; chmod 0 "${scene.said}/a/b" "${scene.said}/a"`);
    expect(code).toBe(0);
    expect(linesOf(stderr)).toEqual(told(scene));
    check(scene);
    for (const name of readdirSync(join(scene.root, 'state')))
      expect(readFileSync(join(scene.root, 'state', name), 'latin1')).toBe('');
    expect(scene.run('true')).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(BUILDS)('it is so where the command closed the folder itself (%s)', (build) => {
    const scene = new Scene(user, build);
    const { code, stderr } = scene.run(`${plant(scene)}; chmod 0 "${scene.said}"`);
    expect(code).toBe(0);
    expect(linesOf(stderr)).toEqual(told(scene));
    check(scene);
  });

  it.each([120, 180])('it is so where only %i files may be open', (most) => {
    const scene = new Scene(user, 'release');
    const { code, stderr } = scene.run(plant(scene), ['/bin/sh', '-c', `ulimit -n ${most}; exec "$@"`, 'sh']);
    expect([code, linesOf(stderr)]).toEqual([0, told(scene)]);
    check(scene);
  });

  it('with many folders and few files that may be open, all is settled or nothing begun', () => {
    const scene = new Scene(user, 'release', { otherFolders: 40 });
    const codes = [80, 90, 100, 110, 120, 130, 140, 200].map((most) => {
      const limited = ['/bin/sh', '-c', `ulimit -n ${most}; exec "$@"`, 'sh'];
      const { code, stdout, stderr } = scene.run(`echo begun; ${plant(scene)}`, limited);
      expect([most, stdout]).toEqual([most, code === 0 ? 'begun\n' : '']);
      if (code === 0) check(scene);
      else expect(stderr).toMatch(/raise it with: ulimit -n 1024|No file descriptors available|Too many open files/);
      return code;
    });
    expect(codes).toEqual([...codes].sort((one, other) => (other ?? 0) - (one ?? 0)));
    expect(new Set(codes)).toEqual(new Set([125, 0]));
  });

  it.each(BUILDS)('many folders take no place of a file that is given to be read (%s)', (build) => {
    const scene = new Scene(user, build, { otherFolders: 60 });
    const file = join(scene.root, 'input');
    writeFileSync(file, 'one\ntwo\n');
    const around = `("$@"; cat) <${file}`;
    const { stdout } = scene.run(`read line; echo "inside $line"; ${plant(scene)}`, ['/bin/sh', '-c', around, 'sh']);
    expect(stdout).toBe('inside one\ntwo\n');
    check(scene);
  });

  it.each(BUILDS)('what was there stays unless it is another now (%s)', (build) => {
    const scene = new Scene(user, build);
    expect(scene.run(`rm ${scene.said}/mine; ln -s /mine ${scene.said}/mine`).stderr).toBe(
      `cordon: t: ${scene.said}/mine${LINK}mine.put-aside-X\n`,
    );
    expect(scene.names()).toEqual(['mine.put-aside-X']);
  });

  it.each(BUILDS)('what was put aside does not come back under its name (%s)', (build) => {
    const scene = new Scene(user, build);
    scene.run(`ln -s /etc/passwd ${scene.said}/link; mkdir ${scene.said}/a; mv ${scene.said}/mine ${scene.said}/a`);
    expect(scene.names()).toEqual(['a', 'link.put-aside-X']);
    const { stderr } = scene.run(`cd ${scene.said}; mv link.put-aside-* link; mv a/mine.* mine; mv a b`);
    expect(linesOf(stderr)).toEqual(
      ['link', 'mine'].map((name) => `cordon: t: ${scene.said}/${name}${LINK}${name}.put-aside-X`),
    );
    expect(scene.names()).toEqual(['b', 'link.put-aside-X', 'mine.put-aside-X']);
  });

  it.each(BUILDS)('of what was there a folder around it can be moved (%s)', (build) => {
    const scene = new Scene(user, build);
    const { uid, gid } = identityOf(user);
    mkdirSync(join(scene.said, 'a'));
    symlinkSync('/mine', join(scene.said, 'a/mine'));
    spawnSync('chown', ['-Rh', `${uid}:${gid}`, join(scene.said, 'a')]);
    expect(scene.run(`cd ${scene.said}; mv a b`).stderr).toBe('');
    expect(scene.names('b')).toEqual(['mine']);
  });

  it.each(BUILDS)('what the user makes meanwhile is not lost (%s)', async (build) => {
    const scene = new Scene(user, build);
    await scene.killed('true', 'alone', () => symlinkSync('/theirs', join(scene.said, 'theirs')));
    scene.settled();
    const [name = ''] = readdirSync(scene.said).filter((one) => one.startsWith('theirs.put-aside-'));
    expect(readlinkSync(join(scene.said, name))).toBe('/theirs');
  });

  it('what lies too deep is told, and of many only how many more there are', () => {
    const scene = new Scene(user, 'release');
    const deep = Array.from({ length: 70 }, () => 'd').join('/');
    expect(scene.run(`cd ${scene.said}; mkdir -p ${deep}`).stderr).toContain(
      '/d could not be looked through; links and pipes that the command made in it may still be there\n',
    );
    const { stderr } = scene.run(`cd ${scene.said}; rm -r d; for i in $(seq 30); do ln -s x l$i; done`);
    expect(linesOf(stderr)).toHaveLength(21);
    expect(stderr).toContain("cordon: t: and 10 more in the agent's transcripts and logs\n");
    expect(scene.names()).toHaveLength(31);
  });

  it.each(BUILDS)('nothing is linked there from elsewhere (%s)', (build) => {
    const scene = new Scene(user, build);
    const { code, stderr } = scene.run(`echo x >x; ln x ${scene.said}/x`);
    expect(code).toBe(1);
    expect(stderr).toContain('Invalid cross-device link');
  });

  it.each(BUILDS)('it is so when the launcher was killed (%s)', async (build) => {
    const scene = new Scene(user, build);
    await scene.killed(plant(scene), 'alone');
    scene.settled();
    check(scene);
  });

  it.each(BUILDS)('it is so when the next one begins after all were killed (%s)', async (build) => {
    const scene = new Scene(user, build);
    await scene.killed(plant(scene), 'with its group');
    scene.settled();
    expect(existsSync(join(scene.said, 'a/b/pipe'))).toBe(true);
    const { code, stderr } = scene.run('true');
    expect(code).toBe(0);
    expect(linesOf(stderr)).toEqual(told(scene).map((line) => line.replace('by the command', 'by an earlier command')));
    check(scene);
    expect(scene.run('true').stderr).toBe('');
  });

  it.each(BUILDS)('it is told where that cannot be noted, and is so at the end (%s)', (build) => {
    const scene = new Scene(user, build);
    const full = ['/bin/sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'];
    const { code, stderr } = scene.run(`ln -s /etc/passwd ${scene.said}/link`, full);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^cordon: t: warning: what stands in the agent's transcripts and logs could not be noted: File too large; /,
    );
    expect(stderr).toContain(told(scene)[1]);
    expect(scene.names()).toEqual(['link.put-aside-X', 'mine']);
  });

  it('it is so behind bubblewrap', () => {
    const scene = new Scene(user, 'release');
    const none = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    const { stderr } = scene.run(plant(scene), ['/usr/bin/unshare', '-U', '-r', 'sh', '-c', none, 'sh']);
    for (const line of told(scene)) expect(stderr).toContain(line);
    check(scene);
  });

  it.each(BUILDS)('of all projects only this one is written, but for what is put aside in it (%s)', (build) => {
    const scene = new Scene(user, build);
    for (const folder of ['-other', '-other/memory']) mkdirSync(join(scene.projects, folder));
    writeFileSync(join(scene.projects, '-other/memory/M'), 'old\n');
    spawnSync('chown', ['-R', `${identityOf(user).uid}:${identityOf(user).gid}`, scene.projects]);
    const script = `cd ${scene.projects}; echo x >>-other/memory/M; echo x >-other/new; echo x >${scene.own}/s
      ln -s /etc/passwd ${scene.own}/l; echo x >${scene.own}/memory/M; cat ${scene.own}/memory/M`;
    const { stdout, stderr } = scene.run(script);
    expect(stdout).toBe('x\n');
    expect(stderr).toContain(`cordon: t: ${scene.own}/l${LINK}l.put-aside-X\n`);
    expect(readFileSync(join(scene.projects, '-other/memory/M'), 'utf8')).toBe('old\n');
    expect(existsSync(join(scene.projects, '-other/new'))).toBe(false);
    expect(readdirSync(scene.own).map(masked).sort()).toEqual(['l.put-aside-X', 'memory', 's']);
    expect(readdirSync(join(scene.own, 'memory'))).toEqual([]);
    expect(lstatSync(scene.own).uid).toBe(identityOf(user).uid);
  });

  it.each([
    [200, true],
    [201, false],
  ])('a project whose name has %i characters is written: %s', (length, isWritten) => {
    const scene = new Scene(user, 'release', { lengthOfWork: length });
    scene.run(`mkdir -p ${scene.own}; echo x >${scene.own}/s`);
    expect(existsSync(join(scene.own, 's'))).toBe(isWritten);
  });

  it.each(BUILDS)('the folder of this project is not followed where it is a link (%s)', (build) => {
    const scene = new Scene(user, build);
    const elsewhere = openFolder('elsewhere');
    chownSync(elsewhere, identityOf(user).uid, identityOf(user).gid);
    symlinkSync(elsewhere, scene.own);
    scene.run(`echo x >${scene.own}/s`);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
