import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/**
 * The kernel refuses to rename a mount point, unless it is none in the renamer's own tree of mounts: a process that has made one without it
 * and kept a folder open may. Arguments: pairs of old and new names, from the working folder.
 */
const MOVE = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def done(result):
    if result != 0: sys.exit(os.strerror(ctypes.get_errno()))
here = os.open('.', os.O_RDONLY)
# NEWUSER and NEWNS; MS_REC and MS_PRIVATE
done(libc.unshare(0x10020000))
done(libc.mount(None, b'/', None, 0x44000, None))
done(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))
os.chdir('/tmp')
done(libc.syscall(155 if os.uname().machine == 'x86_64' else 41, b'.', b'.'))
done(libc.umount2(b'.', 2))
names = iter(sys.argv[1:])
for old in names: os.rename(old, next(names), src_dir_fd=here, dst_dir_fd=here)
`;

/** What is covered, used by way of a second mount of the same folder and moved back: FOLDER NAME FILE, which it writes in NAME. */
const USE = MOVE.replace(
  "done(libc.mount(b'none', b'/tmp'",
  `os.makedirs(sys.argv[1] + '/via'); os.mkdir('/tmp/s')
done(libc.mount((sys.argv[1] + '/via').encode(), b'/tmp/s', None, 0x1000, None))
folder, other = os.open(sys.argv[1], os.O_RDONLY), os.open('/tmp/s', os.O_RDONLY)
done(libc.mount(b'none', b'/tmp'`,
).replace(
  /names = iter[\s\S]*/,
  `name, file = sys.argv[2:]
os.rename(name, 'via/' + name, src_dir_fd=folder, dst_dir_fd=folder)
with os.fdopen(os.open(name + '/' + file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o755, dir_fd=other), 'w') as program: program.write('evil')
os.rename('via/' + name, name, src_dir_fd=folder, dst_dir_fd=folder)
os.rmdir('via', dir_fd=folder)
`,
);

const PLANT = "printf '#!/bin/sh\\n' >$1/pre-commit; chmod +x $1/pre-commit";

async function run(scene: Scene, flags: readonly string[], moves: readonly string[], script: string): Promise<string> {
  scene.file('work/move.py', MOVE);
  const inside = ['sh', '-c', `python3 move.py ${moves.join(' ')} && { ${script}; } && echo did it`];
  const argv = [cordonProgram(), 'run', ...flags, '--', ...inside];
  const { stdout, stderr } = await ended(begin({ scene, env: {}, starter: [] }, argv));
  expect(stdout, stderr).toContain('did it');
  return stderr;
}

async function repository(scene: Scene, settings = ''): Promise<void> {
  const script = `git init -q . && printf old >.git/hooks/post-merge && ${settings || 'true'}`;
  const { code, stderr } = await ended(begin({ scene, env: {}, starter: [] }, ['sh', '-c', script]));
  expect(code, stderr).toBe(0);
}

describe.each(USERS)('what %s could only read, moved by way of another tree of mounts', (user) => {
  it.each([
    ['hooks', ['.git/hooks', '.git/other'], '.git/hooks'],
    ['the whole git directory', ['.git', 'other'], '.git/hooks'],
    ['a folder above hooks', ['.git/hooks', '.git/other', '.git', 'other'], '.git/hooks'],
  ])('is where it was in the end: %s', async (_, moves, hooks) => {
    const scene = new Scene(user);
    await repository(scene);
    const said = await run(scene, [], moves, `mkdir -p ${hooks}; set -- ${hooks}; ${PLANT}`);
    expect(said).toContain('moved back');
    expect(readFileSync(join(scene.work, hooks, 'post-merge'), 'utf8')).toBe('old');
    expect(existsSync(join(scene.work, hooks, 'pre-commit'))).toBe(false);
  });

  it('hooks that the settings name, with a link in their place', async () => {
    const scene = new Scene(user);
    await repository(scene, 'mkdir -p a/b && git config core.hooksPath a/b');
    await run(scene, [], ['a', 'other'], `mkdir -p c/b; ln -s c a; set -- c/b; ${PLANT}`);
    expect(readdirSync(join(scene.work, 'a/b'))).toEqual([]);
  });

  it('settings that others include', async () => {
    const scene = new Scene(user);
    await repository(scene, 'touch more && git config include.path ../more');
    await run(scene, [], ['more', 'other'], "printf '[core]\\n\\tfsmonitor = evil\\n' >more");
    expect(readFileSync(join(scene.work, 'more'), 'utf8')).not.toContain('evil');
  });

  it.each([
    ['.git', 'hooks', 'pre-commit'],
    ['.git', 'hooks', 'post-merge'],
    ['.', '.husky', 'pre-commit'],
    ['.', '.husky', 'post-merge'],
  ])('is what it was in the end where it was used meanwhile: %s/%s/%s', async (folder, name, file) => {
    const scene = new Scene(user);
    await repository(
      scene,
      folder === '.' ? 'mkdir .husky && cp .git/hooks/post-merge .husky && git config core.hooksPath .husky' : '',
    );
    scene.file('work/use.py', USE);
    const inside = ['sh', '-c', `python3 use.py ${folder} ${name} ${file} && echo did it`];
    const { stdout, stderr } = await ended(
      begin({ scene, env: {}, starter: [] }, [cordonProgram(), 'run', '--', ...inside]),
    );
    expect(stdout, stderr).toContain('did it');
    expect(stderr).toContain(`${name} was changed by the command`);
    expect(readFileSync(join(scene.work, folder, name, 'post-merge'), 'utf8')).toBe('old');
    expect(existsSync(join(scene.work, folder, name, 'pre-commit'))).toBe(false);
  });

  /** Nothing of it could be put back. */
  async function refusedInside(scene: Scene, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const inside = ['sh', '-c', 'unshare -Urm true && echo did it'];
    const argv = [cordonProgram(), 'run', ...flags, '--', ...inside];
    const { stdout, stderr } = await ended(begin({ scene, env, starter: [] }, argv));
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining('No space left on device') });
  }

  it('no sandbox is made inside where a file is hidden in a folder that can be written', async () => {
    const scene = new Scene(user);
    scene.file('work/key', scene.canary);
    await refusedInside(scene, ['--hide', 'key']);
    const onTerminal = (flags: string) =>
      ['script', '-qec', `${cordonProgram()} run ${flags} -- unshare -Ur true`, '/dev/null'] as const;
    const told = await ended(begin({ scene, env: {}, starter: [] }, onTerminal('--hide key')));
    expect(told.stdout).toContain(
      `no sandboxes inside while ${scene.work}/key is kept away in a folder that the command can write (--workspace aside`,
    );
    const aside = await ended(begin({ scene, env: {}, starter: [] }, onTerminal('--hide key --workspace aside')));
    expect(aside.stdout).not.toContain('no sandboxes inside');
  });

  it("nor where Cordon's own policies lie in one", async () => {
    const scene = new Scene(user);
    scene.file('work/cordon/cordon.toml', '# mine\n');
    await refusedInside(scene, [], { CORDON_HOME: join(scene.work, 'cordon') });
  });
});
