import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS } from '../support/users.ts';
import { finished, mainProcess, put, scene, VALUES } from './support.ts';

const CANARIES = [...Object.values(VALUES), 'sk-main-9999-dddd', 'sk-global-4711-aaaa'];
const found = (text: string) => CANARIES.filter((value) => text.includes(value));

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** argv of every process of the machine, and the environment of those that are not inside. */
function everyArgv(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/cmdline`))
    .join('\n');
}

function everyFile(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${read(join(entry.parentPath, entry.name))}`)
    .join('\n');
}

const ownTemporary = () =>
  readdirSync('/tmp')
    .filter((name) => statSync(join('/tmp', name), { throwIfNoEntry: false })?.isFile() === true)
    .map((name) => read(join('/tmp', name)))
    .join('\n');

const line = async (stream: NodeJS.ReadableStream | null) =>
  new Promise<string>((resolve) => stream?.once('data', (chunk: Buffer) => resolve(chunk.toString())));

describe.each(USERS)('F2: the secrets of a session of %s reach only the sandbox', (user) => {
  it('not the main process, no argv, no log, no file, while a call runs', async () => {
    const here = scene(user);
    put(here, 'skills/wait/SKILL.md', '# Waits\n');
    put(here, 'skills/wait/scripts/run.sh', 'echo $GITHUB_TOKEN > /workspace/seen; sleep 60\n');
    const child = mainProcess(
      here,
      `const log = lineLog((text) => fs.appendFileSync(scene.root + '/log.txt', text + '\\n'), 'json', 'debug');
       const s = await open({ log, skills: [scene.skills] });
       const stop = new AbortController();
       const calls = [s.bash('echo $OPENAI_API_KEY >/dev/null; echo on >&2; sleep 60', { signal: stop.signal, onOutput: () => process.stdout.write('on\\n') }),
                      s.runSkill('wait', { signal: stop.signal })];
       await once(process.stdin, 'data'); process.stdin.destroy();
       stop.abort(); await Promise.all(calls); await s.close();`,
    );
    await line(child.stdout);
    while (read(join(here.workspace, 'seen')) === '') await new Promise((resolve) => setImmediate(resolve));
    const main = read(`/proc/${child.pid}/environ`) + read(`/proc/${child.pid}/cmdline`);
    const seen = {
      main: found(main),
      argv: found(everyArgv()),
      state: found(everyFile(join(here.home, 'state'))),
      tmp: found(ownTemporary()),
    };
    const running = finished(child);
    child.stdin?.write('go\n');
    const { code, stderr } = await running;
    expect(seen).toEqual({ main: [], argv: [], state: [], tmp: [] });
    expect([code, stderr]).toEqual([0, '']);
    const log = read(join(here.root, 'log.txt'));
    expect(found(log + everyFile(join(here.home, 'state')))).toEqual([]);
    expect(read(join(here.workspace, 'seen'))).toBe(`${VALUES.GITHUB_TOKEN}\n`);
    expect(log).toContain('GITHUB_TOKEN=***');
  });

  it.each([
    ['an error that nobody catches', "throw Object.assign(new Error('failed'), { s, all: Object.values(s) });"],
    ['a promise that nobody catches', 'Promise.reject(s); await new Promise(() => setInterval(() => 0, 1000));'],
    [
      'everything that can be shown',
      "console.error(s, JSON.stringify(s), String(s)); const { inspect } = await import('node:util'); console.error(inspect(s, { depth: 20, showHidden: true, getters: true })); process.exit(3);",
    ],
    [
      'a report',
      "process.report.directory = scene.root; console.error(process.report.writeReport(new Error('x'))); console.error(JSON.stringify(process.report.getReport())); process.exit(3);",
    ],
  ])('not the last words of a main process: %s', async (_, body) => {
    const here = scene(user);
    const { code, stdout, stderr } = await finished(
      mainProcess(here, `const s = await open(); await s.bash('true'); ${body}`),
    );
    expect(code).not.toBe(0);
    expect(
      found(
        stdout +
          stderr +
          readdirSync(here.root)
            .filter((name) => name.startsWith('report'))
            .map((name) => read(join(here.root, name)))
            .join(),
      ),
    ).toEqual([]);
  });

  it('not an error about the secrets themselves', async () => {
    const here = scene(user);
    put(
      here,
      'cordon/users/greg/secrets.yaml',
      `sandboxed_envs:\n  A: ${VALUES.GITHUB_TOKEN}\n  PATH: ${VALUES.SHARED}\n`,
      0o600,
    );
    const { code, stderr } = await finished(mainProcess(here, 'await open();'));
    expect([code, found(stderr)]).toEqual([1, []]);
    expect(stderr).toContain('PATH');
  });
});
