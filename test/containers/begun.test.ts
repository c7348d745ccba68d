import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { identityOf } from '../support/users.ts';
import { ENGINE_FOLDER, eventually, IMAGE, podman, processesWith, rootless, Scene, talksOf } from './scene.ts';

const IN = ['--net', 'off', '--in', `podman:${IMAGE}`];

/** Containers are called by who began them, and when. */
const seen = new Set<string>();

function begunSince(): string[] {
  const told = podman('events', '--stream=false', '--filter', 'event=create', '--format', '{{.Name}}').stdout;
  const names = told.split('\n').filter((name) => name.startsWith('cordon-') && !seen.has(name));
  for (const name of names) seen.add(name);
  return names;
}

const isBy = (pid: number) => expect.stringMatching(new RegExp(`-${pid}$`));

/** A scene in which the same was started before. */
function started(scene: Scene, more: Record<string, string> = {}) {
  const run = (script: string, input = '', other: Record<string, string> = {}) =>
    scene.run(['run', ...IN, '--', 'sh', '-c', script], { env: { ...more, ...other }, input });
  const { stdout, pid } = run('echo first');
  expect(stdout).toBe('first\n');
  expect(records(scene)).toMatchObject([{ id: expect.not.stringMatching(new RegExp(`-${pid}$`)) }]);
  begunSince();
  return { run };
}

const records = (scene: Scene) =>
  readFileSync(join(scene.home, '.local/state/cordon/audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const left = (scene: Scene) => ({
  containers: podman('ps', '--all', '--quiet').stdout,
  folders: readdirSync(talksOf(scene)),
});

const NOTHING = { containers: '', folders: [] };

describe('a container that is begun while the planner decides', () => {
  it('is taken over with input, output, exit code and record', () => {
    const scene = new Scene();
    const { run } = started(scene);
    const { stdout, stderr, status, pid } = run('cat; ls /.cordon-*/talk; echo said >&2; exit 7', 'typed\n');
    expect({ stdout, stderr, status }).toEqual({ stdout: 'typed\n', stderr: 'said\n', status: 7 });
    expect(begunSince()).toEqual([isBy(pid)]);
    expect(records(scene).at(-1)).toMatchObject({ id: isBy(pid), exit: 7, isolation: 'barrier' });
    expect(left(scene)).toEqual(NOTHING);
  });

  it('gets a file as its input', () => {
    const scene = new Scene();
    const file = join(scene.project, 'input');
    writeFileSync(file, 'written\n');
    const words = [cordonProgram(), 'run', ...IN, '--', 'cat', '<', file].join(' ');
    const run = () => scene.run(['-c', `exec ${words}`], { program: '/bin/sh' });
    run();
    const { stdout, stderr, status, pid } = run();
    expect({ stdout, stderr, status }).toEqual({ stdout: 'written\n', stderr: '', status: 0 });
    expect(records(scene).at(-1)).toMatchObject({ id: isBy(pid) });
  });

  it('is so for a user without any daemon', () => {
    const scene = new Scene('cordon-test');
    const { run } = started(scene, rootless(scene));
    const { stdout, pid } = run('cat; id -u', 'typed\n');
    expect(stdout).toBe(`typed\n${identityOf('cordon-test').uid}\n`);
    expect(records(scene).at(-1)).toMatchObject({ id: isBy(pid) });
  });

  it('finds no program where a command could have put it, and is the same that the planner would begin', () => {
    const scene = new Scene('cordon-test');
    const [planted, mark] = [join(scene.project, '.venv/bin'), join(scene.project, 'planted-ran')];
    mkdirSync(planted, { recursive: true });
    for (const name of ['newuidmap', 'newgidmap', 'crun', 'runc', 'conmon', 'catatonit', 'fuse-overlayfs', 'netavark'])
      writeFileSync(
        join(planted, name),
        `#!/bin/sh\necho ${name} >> ${mark}\nPATH=/usr/sbin:/usr/bin:/bin exec ${name} "$@"\n`,
        { mode: 0o755 },
      );
    writeFileSync(mark, '', { mode: 0o666 });
    scene.own(mark);
    const { PATH = '' } = scene.env();
    const own = rootless(scene);
    // Without the process that keeps a user's namespace podman looks for programs that make one.
    const forgetNamespace = () => {
      const file = `${own.XDG_RUNTIME_DIR}/libpod/tmp/pause.pid`;
      process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
      rmSync(file);
    };
    forgetNamespace();
    const { run } = started(scene, { ...own, PATH: `${planted}:bin::${PATH}` });
    forgetNamespace();
    const { stdout, pid } = run('cat', 'typed\n');
    expect(stdout).toBe('typed\n');
    expect(records(scene).at(-1)).toMatchObject({ id: isBy(pid) });
    expect(readFileSync(mark, 'utf8')).toBe('');
  });

  it('is left alone where something else would be begun now, and gets none of the input', () => {
    const scene = new Scene();
    const { run } = started(scene);
    const other = { DOCKER_OTHER: 'yes' };
    const { stdout, stderr, status, pid } = run('cat', 'typed\n', other);
    expect({ stdout, stderr, status }).toEqual({ stdout: 'typed\n', stderr: '', status: 0 });
    const began = begunSince();
    expect(began).toHaveLength(2);
    expect(began).toContainEqual(isBy(pid));
    expect(records(scene).at(-1)).not.toMatchObject({ id: isBy(pid) });
    expect(left(scene)).toEqual(NOTHING);
    // The next time that is what is begun.
    const next = run('true', '', other);
    expect(begunSince()).toEqual([isBy(next.pid)]);
  });

  it('gets nothing where the planner refuses', () => {
    const scene = new Scene();
    const shown = join(scene.project, '../shown');
    mkdirSync(shown);
    const run = () => scene.run(['run', ...IN, '--read', shown, '--', 'echo', 'ran'], { input: 'typed\n' });
    expect(run().stdout).toBe('ran\n');
    begunSince();
    rmdirSync(shown);
    symlinkSync('/etc', shown);
    const { stdout, stderr, status, pid } = run();
    expect({ stdout, status }).toEqual({ stdout: '', status: 125 });
    expect(stderr).toMatch(/^cordon: \S+shown is a link to \/etc: .*\n +hint: .*\n$/);
    expect(begunSince()).toEqual([isBy(pid)]);
    expect(left(scene)).toEqual(NOTHING);
  });

  it('is killed where nobody wants it and it does not listen', () => {
    const [scene, folder] = [new Scene(), trustedFolder('deaf')];
    const [shown, deaf] = [join(scene.project, '../shown'), join(folder, 'deaf')];
    mkdirSync(shown);
    const script = `#!/bin/sh\n[ -e ${deaf} ] || exec /usr/bin/podman "$@"\ntrap "" TERM\nwhile :; do sleep 0.2; done\n`;
    writeFileSync(join(folder, 'podman'), script, { mode: 0o755 });
    const env = { PATH: `${folder}:${scene.env().PATH}` };
    const run = () => scene.run(['run', ...IN, '--read', shown, '--', 'echo', 'ran'], { env });
    expect(run().stdout).toBe('ran\n');
    writeFileSync(deaf, '');
    rmdirSync(shown);
    symlinkSync('/etc', shown);
    expect(run()).toMatchObject({ stdout: '', status: 125, signal: null });
    expect(processesWith(`${folder}/podman`)).toEqual([]);
    expect(left(scene)).toEqual(NOTHING);
  });

  it('is told what the image brings each time', () => {
    const image = 'localhost/changing';
    const [scene, tar] = [new Scene(), join(ENGINE_FOLDER(), 'root.tar')];
    const bring = (value: string) =>
      podman('import', '--quiet', '-c', 'ENV PATH=/bin', '-c', `ENV LANG=${value}`, tar, image);
    const run = () => scene.run(['run', '--in', `podman:${image}`, '--', 'sh', '-c', 'echo $LANG']);
    bring('C');
    expect(run().stdout).toBe('C\n');
    bring('C.UTF-8');
    const { stdout, pid } = run();
    expect(stdout).toBe('C.UTF-8\n');
    expect(records(scene).at(-1)).toMatchObject({ id: isBy(pid) });
  });

  it('leaves no value behind in what is kept', () => {
    const scene = new Scene();
    started(scene, { XDG_SESSION_ID: 'a-value' });
    const folder = join(scene.home, '.local/state/cordon/plans');
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toContain('XDG_SESSION_ID\0');
    expect(kept[0]).not.toContain('a-value');
  });

  it('gets signals once, and ends when cordon is killed', async () => {
    const scene = new Scene();
    started(scene);
    const start = (script: string) => scene.start(['run', ...IN, '--', 'sh', '-c', script]);
    const trapping = start('trap "echo caught; exit 3" TERM; echo ready; while :; do sleep 0.1; done');
    await eventually(() => expect(trapping.said()).toContain('ready'));
    trapping.child.kill('SIGTERM');
    expect(await trapping.ended).toBe(3);
    expect(trapping.said()).toBe('ready\ncaught\n');
    const lasting = start('echo ready; sleep 98765');
    await eventually(() => expect(lasting.said()).toContain('ready'));
    lasting.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('sleep 98765')).toEqual([]));
    await eventually(() => expect(left(scene).containers).toBe(''));
    expect(begunSince()).toEqual([trapping, lasting].map(({ child }) => isBy(child.pid as number)));
  });
});
