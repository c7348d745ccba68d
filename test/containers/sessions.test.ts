import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectHttp, serve } from '../mcp/http-support.ts';
import { bash, ownValue } from '../mcp/support.ts';
import { canary, programsWith } from '../support/leaks.ts';
import { engineEnv } from './engine-set-up.ts';
import { expectNothingLeft, filesWith, inspected } from './leaks.ts';
import { ENGINE_FOLDER, eventually, IMAGE, podman, processesWith } from './scene.ts';
import { SessionScene } from './session-scene.ts';

describe('a session whose calls run in containers', () => {
  it('gives each user the own secrets, workspace and skills, in the image, and nothing of another', () => {
    const scene = new SessionScene().with();
    const looking = `env; pwd; touch made; ls /bin/goose ${scene.project} ${scene.home}; touch /etc/x || echo held;
      ip link | grep -v -e lo: -e loopback | grep -q link || echo cut-off`;
    const [first, second, skill] = scene.results(`
      tell(await session.bash(${JSON.stringify(looking)}));
      const other = await open('u2');
      tell(await other.bash('echo $A_TOKEN; ls -A; exit 7'));
      await other.close();
      tell(await session.runSkill('tell', { args: ['word'], input: 'typed' }));`);
    const lines = first.stdout.split('\n');
    expect(first).toMatchObject({ exitCode: 0, timedOut: false, cancelled: false });
    const variables = lines.filter((line: string) => /^[A-Z_a-z]+=/.test(line)).sort();
    expect(variables.filter((line: string) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line))).toEqual([
      `A_TOKEN=${scene.secret}`,
      'HOME=/workspace',
      'PATH=/bin:/usr/bin',
    ]);
    expect(lines).toEqual(expect.arrayContaining(['/workspace', '/bin/goose', 'held', 'cut-off']));
    expect(lines).not.toEqual(expect.arrayContaining(['skills']));
    expect(existsSync(join(scene.workspace('u1'), 'made'))).toBe(true);
    expect(second).toMatchObject({ exitCode: 7, stdout: 'of-the-other\n' });
    expect(skill).toMatchObject({ exitCode: 0, stdout: 'word typed\nheld\n' });
    const [record] = JSON.parse(scene.run(['audit', '--json']).stdout);
    expect(record).toMatchObject({ in: `podman:${IMAGE}`, isolation: 'barrier', network: 'off', user: 'u1' });
    expect(readFileSync(join(scene.home, '.local/state/cordon/audit.jsonl'), 'utf8')).not.toContain(scene.secret);
  });

  it('ends all that is inside when the time is over, the call is cancelled or the session is closed', async () => {
    const scene = new SessionScene().with();
    // How far a call has come when its time is over, the machine says.
    const results = scene.results(`
      const stubborn = 'trap "" TERM; sleep 4741 & echo ready; sleep 4741; sleep 4741';
      tell(await session.bash('sleep 4741 & sleep 4741', { timeoutMs: 1500 }));
      const ending = new AbortController();
      tell(await session.bash(stubborn, { signal: ending.signal, onOutput: () => ending.abort() }));
      const brief = await open();
      tell(await brief.bash('echo never', { timeoutMs: 1 }));
      const given = new AbortController();
      const call = brief.bash('echo never', { signal: given.signal });
      given.abort();
      tell(await call);
      tell(await brief.bash('echo ready; sleep 4741', { onOutput: () => void brief.close() }));`);
    expect(results).toMatchObject([
      { timedOut: true, exitCode: 124, limit: expect.stringContaining('time limit of 1.5 s') },
      { stdout: 'ready\n', timedOut: false, cancelled: true },
      { stdout: '', timedOut: true, exitCode: 124 },
      { stdout: '', cancelled: true },
      { stdout: 'ready\n', cancelled: true },
    ]);
    expect(processesWith('^sleep 4741')).toEqual([]);
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });

  it('holds it to its limits', () => {
    const scene = new SessionScene().with();
    const [processes, file, folder, memory] = scene.results(
      `
      tell(await session.bash('i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; wait'));
      tell(await session.bash('cat /dev/zero > big'));
      tell(await session.bash('cat /dev/zero > /tmp/big'));
      tell(await session.bash('x=1234567890123456; while :; do x=$x$x; done'));`,
      'limits: { processes: 40, fileSize: 1 << 20, temporary: 1 << 19, memory: 64 << 20, timeoutMs: 30000 },',
    );
    expect(processes.stderr).toMatch(/can't fork|Resource temporarily unavailable/);
    expect(statSync(join(scene.workspace('u1'), 'big')).size).toBe(1 << 20);
    expect(file.limit).toContain('1 MiB for one file');
    expect(folder.stderr).toContain('No space left');
    expect(memory).toMatchObject({ timedOut: false });
    expect(memory.exitCode).not.toBe(0);
  });

  it('leaves no secret, command or output with the engine, and ends with the process it belongs to', async () => {
    const scene = new SessionScene().with();
    const [command, output] = [canary(), canary()];
    const script = `: ${command}; echo ${output.slice(0, 12)}""${output.slice(12)}; echo ready; exec sleep 4742`;
    const { program, words } = scene.program(
      `await session.bash(${JSON.stringify(script)}, { onOutput: (chunk) => process.stdout.write(chunk) });`,
    );
    const ran = scene.start(words, {}, program);
    await eventually(() => expect(ran.said()).toContain('ready'));
    expect(ran.said()).toContain(output);
    // Of whoever has it in its environment there is only the command.
    expect(programsWith(scene.secret, 'environ')).toEqual(['busybox']);
    for (const one of [scene.secret, command]) expect(programsWith(one, 'cmdline')).toEqual([]);
    for (const one of [scene.secret, command, output]) {
      expect(inspected(one)).toBe(false);
      expect(filesWith(one)).toEqual([]);
    }
    ran.child.kill('SIGKILL');
    await eventually(() => expect(processesWith('^sleep 4742')).toEqual([]));
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
    expectNothingLeft(scene.secret, command, output);
  });

  it('says what the engine says when there is no container, and that nothing was run', () => {
    const scene = new SessionScene().with();
    const said = scene.refusal("await session.bash('echo never');", '', { CONTAINERS_STORAGE_CONF: '/nowhere' });
    expect(said).toMatch(/podman started no container \(exit code \d+\): .*\/nowhere/);
    expect(said).toContain('nothing was handed over');
  });
});

describe('cordon mcp --in', () => {
  const call = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });

  it('runs the Bash tool in a container', async () => {
    const scene = new SessionScene().with();
    const words = ['mcp', '--user', 'u1', '--workspace', scene.workspace('u1'), '--in', `podman:${IMAGE}`];
    const server = scene.start(words);
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const messages = [
      call(1, 'initialize', hello),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      call(2, 'tools/call', { name: 'Bash', arguments: { command: 'ls /bin/goose; pwd' } }),
    ];
    server.child.stdin.write(messages.map((message) => `${message}\n`).join(''));
    await eventually(() => expect(server.said()).toContain('"id":2'));
    expect(server.said()).toContain('/bin/goose\\n/workspace');
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
  });
});

describe('cordon serve --in', () => {
  it('keeps users apart, each call in its own container, and a request that is given up ends what is inside', async () => {
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...engineEnv(ENGINE_FOLDER()) };
    const served = await serve('root', ['--in', `podman:${IMAGE}`], undefined, { env });
    const { alice, bob } = served.tokens;
    const [first, second] = await Promise.all([connectHttp(served, alice), connectHttp(served, bob)]);
    const script = 'echo $OWN_KEY > own; echo $OWN_KEY; ls; ls /bin/goose; ps | grep -c "[s]leep 4743"';
    const ending = new AbortController();
    const long = bash(first, 'sleep 4743', {}, { signal: ending.signal }).catch(() => 'given up');
    await eventually(() => expect(processesWith('^sleep 4743')).toHaveLength(1));
    const answers = await Promise.all([bash(first, script), bash(second, script)]);
    for (const [i, user] of ['alice', 'bob'].entries())
      expect(answers[i]?.text).toContain(`${ownValue(user)}\nown\n/bin/goose\n0\n`);
    expect(answers[0]?.text).not.toContain(ownValue('bob'));
    ending.abort();
    expect(await long).toBe('given up');
    await eventually(() => expect(processesWith('^sleep 4743')).toEqual([]));
    await eventually(() => expect(podman('ps', '--all', '--quiet').stdout).toBe(''));
  });
});
