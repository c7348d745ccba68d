import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';
import { World } from './world.ts';

/** Where package managers keep what they would install without asking again. */
const CACHES = [
  '.npm/_cacache/x',
  '.local/share/pnpm/store/x',
  '.cargo/registry/cache/x',
  'go/pkg/mod/cache/download/x',
  '.cache/pip/http/x',
];
const FORGE = CACHES.map((path) => `mkdir -p ~/${path.slice(0, -2)}; echo forged >~/${path}`).join('; ');
const LOOK = CACHES.map((path) => `cat ~/${path}`).join('; ');

describe.each(USERS)('what comes back to %s', (user) => {
  it('caches come back to the same policy in the same workspace, and to nobody else', () => {
    const world = new World(user);
    const other = world.folder('code/other');
    const inner = world.folder('code/app/inner');
    expect(world.run(FORGE)).toMatchObject({ code: 0, stderr: '' });
    expect(world.names()).toEqual([]);
    expect(world.run(LOOK).stdout).toBe('forged\n'.repeat(CACHES.length));
    expect(world.run(LOOK, [], other).stdout).toBe('');
    expect(world.run(LOOK, ['--workspace', inner]).stdout).toBe('');
    expect(world.run(LOOK, ['--allow', 'X']).stdout).toBe('');
    expect(world.run(LOOK, [], world.home).stdout).toBe('');
    for (const path of CACHES) expect(existsSync(join(world.home, path))).toBe(false);
  });

  it('settings of an agent come back after its first start too', () => {
    const world = new World(user);
    const flags = ['--agent', 'claude'];
    world.run('mkdir ~/.claude; echo one >~/.claude/settings.json; echo two >~/.claude.json', flags);
    expect(existsSync(join(world.home, '.claude'))).toBe(false);
    expect(world.run('cat ~/.claude/settings.json ~/.claude.json', flags).stdout).toBe('one\ntwo\n');
    expect(world.run('cat ~/.claude/settings.json').stdout).toBe('');
  });

  it('what was removed stays removed, and what is real shows through', () => {
    const world = new World(user);
    world.put('.npm/real', 'real\n');
    world.run('echo one >~/.npm/one; echo two >~/.npm/two; echo changed >~/.npm/real');
    world.run('rm ~/.npm/one; echo three >~/.npm/three');
    expect(world.run('cd ~/.npm; ls; cat real').stdout).toBe('real\nthree\ntwo\nchanged\n');
    world.run('rm -r ~/.npm; mkdir ~/.npm; echo four >~/.npm/four');
    expect(world.run('ls ~/.npm').stdout).toBe('four\n');
    expect(world.text('.npm/real')).toBe('real\n');
    expect(world.cordon(['changes', '--json']).stdout).toContain('"kept"');
    expect(world.cordon(['changes', 'drop', '--kept']).stdout).toContain('1 workspace');
    expect(world.run('ls ~/.npm; cat ~/.npm/real').stdout).toBe('real\nreal\n');
  });

  it('two at once lose and mix nothing', async () => {
    const world = new World(user);
    world.run('mkdir -p ~/.npm; echo 0 >~/.npm/first');
    const { uid, gid } = identityOf(user);
    const start = (i: number) =>
      new Promise((resolve) => {
        const script = `cat ~/.npm/first >/dev/null; echo ${i} >~/.npm/n${i}; echo ${i} >~/.npm/same; echo ${i} >~/aside${i}`;
        const child = spawn(cordonProgram(), ['run', '--', 'sh', '-c', script], {
          ...{ uid, gid, cwd: world.work },
          env: { HOME: world.home, PATH: '/usr/bin:/bin' },
        });
        child.on('close', resolve);
      });
    expect(await Promise.all([1, 2, 3, 4].map(start))).toEqual([0, 0, 0, 0]);
    expect(world.run('cd ~/.npm; ls; cat n1 n2 n3 n4; cat same | wc -c').stdout).toBe(
      'first\nn1\nn2\nn3\nn4\nsame\n1\n2\n3\n4\n2\n',
    );
    expect(world.names()).toHaveLength(4);
  });

  it('what a cleaner removed in between is missing, and nothing else', () => {
    const world = new World(user);
    world.run('mkdir -p ~/.npm/a; echo 1 >~/.npm/a/one; echo 2 >~/.npm/two');
    const [layer] = readdirSync(world.layers, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.npm/a'),
    );
    rmSync(join(world.layers, layer as string), { recursive: true });
    expect(world.run('ls ~/.npm; cat ~/.npm/two; echo 3 >~/.npm/three')).toMatchObject({ code: 0, stdout: 'two\n2\n' });
    rmSync(world.layers, { recursive: true });
    expect(world.run('ls ~/.npm 2>/dev/null; mkdir -p ~/.npm; echo 4 >~/.npm/four')).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(world.run('ls ~/.npm').stdout).toBe('four\n');
    mkdirSync(join(world.layers, 'kept-9'));
    const { uid, gid } = identityOf(user);
    chownSync(join(world.layers, 'kept-9'), uid, gid);
    expect(world.cordon(['changes', 'drop', '--kept']).code).toBe(0);
    expect(readdirSync(world.layers)).not.toContain('kept-9');
  });

  it('a log-in in a cache is not kept, links are, and one that grows too large begins anew', () => {
    const world = new World(user);
    world.put('.config/cordon/cordon.toml', '[changes]\nsize = "17M"\n');
    world.run(
      'mkdir -p ~/.cache/huggingface ~/.npm; echo secret >~/.cache/huggingface/token; ln -s two ~/.npm/link; echo 2 >~/.npm/two',
    );
    expect(world.run('cat ~/.cache/huggingface/token; cat ~/.npm/link').stdout).toBe('2\n');
    world.run('head -c 9000000 /dev/urandom >~/.npm/big1');
    world.run('head -c 9000000 /dev/urandom >~/.npm/big2');
    expect(world.run('ls ~/.npm').stdout).toBe('big2\n');
  });
});
