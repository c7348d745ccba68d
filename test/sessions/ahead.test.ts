import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { finished, inMain, mainProcess, put, type Scene, scene, VALUES } from './support.ts';

/**
 * In the main process: waits until a sandbox is made that waits for its command. Gives the first process in it, what it was started by, and
 * the process that starts all of them.
 */
const READY = `
  const childrenOf = (pid) => { try { return fs.readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8').trim().split(' ').filter(Boolean).map(Number); } catch { return []; } };
  const statusOf = (pid) => { try { return fs.readFileSync('/proc/' + pid + '/status', 'utf8'); } catch { return ''; } };
  const made = () => childrenOf(process.pid).flatMap((starter) => childrenOf(starter).flatMap((launcher) => childrenOf(launcher).map((inner) => ({ starter, launcher, inner }))));
  // It waits with everything given up, and sleeps.
  const isReady = ({ inner }) => /^State:\\tS/m.test(statusOf(inner)) && /^CapBnd:\\t0+$/m.test(statusOf(inner));
  const ready = async (count = 1) => { let found; do { await new Promise((resolve) => setImmediate(resolve)); found = made().filter(isReady); } while (found.length < count); return found; };
  // Whoever looks at the processes needs more rights than this one has.
  const shown = async (found) => { process.stdout.write(JSON.stringify(found) + '\\n'); await once(process.stdin, 'data'); process.stdin.destroy(); };
`;

interface Made {
  readonly starter: number;
  readonly launcher: number;
  readonly inner: number;
}

/** Runs the body in a main process, looks at what it shows while it waits, and gives both that and what it returned. */
async function lookedAt<T>(here: Scene, body: string, look: (made: Made) => T) {
  const child = mainProcess(here, `${READY}${body}`);
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  const seen = look(JSON.parse(String(line)));
  const ended = finished(child);
  child.stdin?.write('go\n');
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, '']);
  return { seen, result: JSON.parse(stdout) };
}

/** Whether one of these stands anywhere in the memory of a process. */
function hasInMemory(pid: number, values: readonly string[]): boolean {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const maps = [...readFileSync(`/proc/${pid}/maps`, 'latin1').matchAll(/^([0-9a-f]+)-([0-9a-f]+) r.*$/gm)];
    return maps
      .filter(([line]) => !line.includes('[v'))
      .some(([, from = '', to = '']) => {
        const bytes = Buffer.alloc(Number.parseInt(to, 16) - Number.parseInt(from, 16));
        readSync(memory, bytes, 0, bytes.length, Number.parseInt(from, 16));
        return values.some((value) => bytes.includes(value));
      });
  } finally {
    closeSync(memory);
  }
}

describe.each(USERS)('sandboxes that are made ahead for sessions of %s', (user) => {
  it('the next call has the one that waits for it, with its own values and limits', async () => {
    const here = scene(user);
    const { seen, result } = await lookedAt(
      here,
      `const s = await open(); await s.bash('true'); const [found] = await ready(); await shown(found);
       const r = show(await s.bash('readlink /proc/self/ns/mnt; echo $GITHUB_TOKEN; ulimit -n; pwd; exit 7')); await s.close();
       return r;`,
      ({ inner }) => readlinkSync(`/proc/${inner}/ns/mnt`),
    );
    expect(result.exitCode).toBe(7);
    expect(result.stdout.split('\n')).toEqual([seen, VALUES.GITHUB_TOKEN, '4096', '/workspace', '']);
    const records = readFileSync(`${here.home}/state/audit.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ exit }) => exit)).toEqual([0, 7]);
    expect(new Set(records.map(({ id }) => id)).size).toBe(2);
  });

  it('one that waits knows no value, nor does what starts it once a call is over', async () => {
    const { seen } = await lookedAt(
      scene(user),
      `const s = await open(); await s.bash('echo $GITHUB_TOKEN $OPENAI_API_KEY $SHARED');
       const [found] = await ready(); await shown({ ...found, main: process.pid }); await s.close(); return {};`,
      (made) => Object.entries(made).map(([name, pid]) => [name, hasInMemory(pid, Object.values(VALUES))]),
    );
    // That it is found where it is says that it would be found elsewhere.
    expect(Object.fromEntries(seen)).toEqual({ starter: false, launcher: false, inner: false, main: true });
  });

  it('what was made for one session is never used for another', async () => {
    const here = scene(user);
    put(here, 'cordon/users/eve/secrets.yaml', 'sandboxed_envs:\n  GITHUB_TOKEN: ghp-eve-7777-eeee\n', 0o600);
    put(here, 'eves/file', 'of eve\n');
    const [mine, eves] = await inMain(
      here,
      `${READY}
       const s = await open(); const e = await open({ user: 'eve', workspace: scene.root + '/eves' });
       await s.bash('touch mine'); await ready(1);
       const eves = show(await e.bash('echo $GITHUB_TOKEN; ls')); await ready(2);
       const mine = show(await s.bash('echo $GITHUB_TOKEN; ls')); await s.close(); await e.close(); return [mine, eves];`,
    );
    expect([mine.stdout, eves.stdout]).toEqual([`${VALUES.GITHUB_TOKEN}\nmine\n`, 'ghp-eve-7777-eeee\nfile\n']);
  });

  it('a folder that was put in the place of the workspace meanwhile is refused', async () => {
    const result = await inMain(
      scene(user),
      `${READY}
       const s = await open(); await s.bash('true'); await ready();
       fs.renameSync(scene.workspace, scene.workspace + '.old'); fs.mkdirSync(scene.workspace);
       const r = await refused(s.bash('touch landed')); await s.close();
       return [r.message, fs.readdirSync(scene.workspace), fs.readdirSync(scene.workspace + '.old')];`,
    );
    expect(result).toEqual([expect.stringContaining('another folder has taken its place'), [], []]);
  });

  it("what was set in git's configuration since it was made is not taken for the command's", async () => {
    const result = await inMain(
      scene(user),
      `${READY}
       const s = await open(); await s.bash('git init -q .'); await ready();
       fs.appendFileSync(scene.workspace + '/.git/config', '[core]\\n\\tpager = less-of-mine\\n');
       const r = show(await s.bash('git config core.pager')); await s.close();
       return [r.stdout, fs.readFileSync(scene.workspace + '/.git/config', 'utf8')];`,
    );
    expect(result).toEqual(['less-of-mine\n', expect.stringContaining('less-of-mine')]);
  });

  it.each(['inner', 'launcher', 'starter'])(
    'its %s is killed before it is used: the call has another',
    async (which) => {
      const result = await inMain(
        scene(user),
        `${READY}
       const s = await open(); await s.bash('true');
       const [found] = await ready(); process.kill(found.${which}, 'SIGKILL');
       while (statusOf(found.launcher) !== '') await new Promise((resolve) => setImmediate(resolve));
       const r = show(await s.bash('echo $GITHUB_TOKEN')); await s.close(); return r;`,
      );
      expect(result).toMatchObject({ exitCode: 0, stdout: `${VALUES.GITHUB_TOKEN}\n`, stderr: '' });
    },
  );

  it('all of them end with the session, and with the main process', async () => {
    const left = await inMain(
      scene(user),
      `${READY}
       const s = await open(); await s.bash('true'); const [{ inner, launcher, starter }] = await ready(); await s.close();
       return [inner, launcher, starter].filter((pid) => fs.existsSync('/proc/' + pid));`,
    );
    expect(left).toEqual([]);
  });
});
