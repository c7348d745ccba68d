import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { begin, ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/** What a command can leave in its workspace for the next launch to read: pipes have no end, and nobody writes to these. */
interface Trap {
  readonly what: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly pipes: readonly string[];
}

const POINTER = 'gitdir: ./evil\n';
const HEAD = 'ref: refs/heads/main\n';

const TRAPS: readonly Trap[] = [
  { what: 'commondir', files: { '.git': POINTER, 'evil/HEAD': HEAD }, pipes: ['evil/commondir'] },
  { what: 'gitdir', files: { '.git': POINTER, 'evil/commondir': '..\n' }, pipes: ['evil/gitdir'] },
  { what: '.git itself', pipes: ['.git'] },
  { what: 'HEAD and config', pipes: ['.git/HEAD', '.git/config', '.git/config.worktree', '.git/commondir'] },
  {
    what: 'a file that config takes in',
    files: { '.git/HEAD': HEAD, '.git/config': '[include]\n\tpath = more\n' },
    pipes: ['.git/more'],
  },
  { what: '.env, .envrc and .npmrc', pipes: ['.env', '.envrc', '.npmrc', '.tool-versions'] },
];

const LONGEST_MS = 10_000;

function lay(scene: Scene, { files = {}, pipes }: Trap): void {
  for (const [name, text] of Object.entries(files)) scene.file(`work/${name}`, text, 0o644);
  for (const pipe of pipes) {
    const place = `${scene.work}/${pipe}`;
    scene.folder(place.slice(0, place.lastIndexOf('/')));
    execFileSync('mkfifo', [place]);
    scene.own(place);
  }
}

/** Whether it has come to its end in time; the scene ends what is left of it. */
function isDone(scene: Scene, argv: readonly string[]): Promise<string> {
  const done = ended(begin({ scene, env: {}, starter: [] }, argv)).then(({ stdout, stderr }) => stdout || stderr);
  return Promise.race([done, new Promise<string>((late) => setTimeout(late, LONGEST_MS, 'still not done').unref())]);
}

describe.each(USERS)('pipes in a workspace, for %s', (user) => {
  it.each(TRAPS)('do not hang a launch: $what', async (trap) => {
    const scene = new Scene(user);
    lay(scene, trap);
    expect(await isDone(scene, [cordonProgram(), 'run', '--', 'echo', 'started'])).toBe('started\n');
  });

  it('would hang whoever reads them', async () => {
    const scene = new Scene(user);
    lay(scene, { what: 'a pipe', pipes: ['pipe'] });
    expect(await isDone(scene, ['timeout', '1', 'sh', '-c', 'cat pipe; echo started'])).not.toBe('started\n');
  });
});
