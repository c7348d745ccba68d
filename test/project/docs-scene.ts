import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { without } from '../native/support.ts';
import { cordonProgram, freshHome, type Ran, runAs } from '../support/cordon.ts';
import { copyCheckout, openCopy, ROOT } from '../support/project.ts';
import { trustedFolder } from '../support/trusted-folder.ts';
import { identityOf, type User } from '../support/users.ts';

/** The reader of the pages: an ordinary user with a home, a project, and programs that only pretend. */
export const READER: User = 'cordon-test';

export interface Scene {
  readonly home: string;
  /** Where commands are typed. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What every command is started through. */
  readonly through: readonly string[];
  /** What stands for a place of the reader's machine, in the scene. */
  readonly place: (text: string) => string;
}

const FILES: Readonly<Record<string, string>> = {
  '.ssh/known_hosts': '',
  '.aws/credentials': '[default]\n',
  'work/Makefile': 'all:\n\t@true\n',
  'work/package.json': '{ "scripts": { "test": "true" } }\n',
  'work/prompt.txt': 'fix the failing test\n',
  'work/theirs.toml': '[tools.make]\nenv_base = "os-common"\n',
  'work/Dockerfile': 'FROM debian\n',
  'work/.github/workflows/ci.yml': 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: make }]\n',
  'projects/site/index.html': '<p>hello</p>\n',
  '.claude/skills/hello/SKILL.md': '# Says hello\n',
  'skills/hello/SKILL.md': '# Says hello\n',
  'skills/hello/scripts/run.sh': 'echo hello\n',
  'srv/agents/workspaces/u41/readme': '',
  'srv/agents/skills/hello/SKILL.md': '# Says hello\n',
  'srv/agents/skills/hello/scripts/run.sh': 'echo hello\n',
  'srv/work/u42/readme': '',
  'srv/skills/my-skill/SKILL.md': '# Says what it is given\n',
  'srv/skills/my-skill/scripts/run.sh': 'cat\n',
  'srv/checkout/readme': '',
  'home/u42/src/package.json': '{ "name": "src", "version": "1.0.0", "lockfileVersion": 3 }\n',
  'home/u42/src/package-lock.json':
    '{ "name": "src", "version": "1.0.0", "lockfileVersion": 3, "packages": { "": { "name": "src", "version": "1.0.0" } } }\n',
};

/** What a credential source answers; every other program just succeeds. */
const ANSWERS: Readonly<Record<string, string>> = { op: 'stand-in-value', ruff: 'ruff 1.0' };
const PRETENDED = ['claude', 'codex', 'gh', 'my-agent', 'my-tool', 'ruff', 'terraform'];

/** Needs with a name behind a colon. */
const PREPARED: Readonly<Record<string, (scene: Scene, name: string) => void>> = {
  repository: (scene) => prepare(scene, 'git init -q && git remote add origin .'),
  vault: (scene, name) => prepare(scene, `printf stand-in-value | cordon creds set ${name}`),
  profile: (scene, name) => prepare(scene, `cordon profile init --yes --name ${name}`),
  tool: (scene, name) => {
    if (PRETENDED.includes(name)) pretend(scene, name);
    prepare(scene, `cordon tool config ${name} env base os-common`);
  },
  'claude-logged-out': ({ home }) =>
    put(join(home, 'pretended'), 'claude', '#!/bin/sh\necho "Not logged in · Please run /login"\nexit 1\n', 0o755),
  'codex-settings': ({ home }) => put(home, '.codex/config.toml', '[shell_environment_policy]\ninherit = "core"\n'),
  'project-policy': ({ cwd }) => {
    put(cwd, '.cordon/profile.toml', '[environment]\nallow_vars = ["EDITOR"]\n');
    put(cwd, '.env', 'API_KEY=op://team/api/key\n');
  },
  secrets: (scene, name) =>
    put(scene.home, `.config/cordon/users/${name}/secrets.yaml`, 'sandboxed_envs:\n  GITHUB_TOKEN: stand-in\n', 0o600),
};

function prepare(scene: Scene, command: string): void {
  const ran = type(scene, command);
  if (ran.code !== 0) throw new Error(`${command}: ${ran.stderr}`);
}

export function openScene(needs: readonly string[]): Scene {
  const home = freshHome(READER);
  for (const [path, text] of Object.entries(FILES)) put(home, path, text);
  const cwd = needs.includes('checkout') ? copyCheckout(openCopy(join(ROOT, 'node_modules'))) : join(home, 'work');
  const bin = join(home, 'pretended');
  mkdirSync(bin);
  const helpers = needs.includes('op') ? `${pretendedHelper('op')}:` : '';
  const scene: Scene = {
    home,
    cwd,
    env: {
      PATH: `${helpers}${bin}:${dirname(cordonProgram())}:/usr/local/bin:/usr/bin:/bin`,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      USER: 'cordon-test',
      npm_config_prefix: join(home, '.local'),
      npm_config_omit: 'optional',
      npm_config_offline: 'true',
    },
    through: needs.includes('no-barrier') ? without('namespaces') : [],
    place: (text) => text.replace(/(?<![\w./~-])\/(srv|home\/u42)\b/g, `${home}/$1`),
  };
  link(scene);
  giveTo(home);
  if (cwd !== join(home, 'work')) giveTo(cwd);
  for (const need of needs) fulfil(need, scene);
  return scene;
}

function fulfil(need: string, scene: Scene): void {
  const [kind = '', name = ''] = need.split(':');
  if (['checkout', 'no-barrier', 'op'].includes(need)) return;
  if (PRETENDED.includes(need)) pretend(scene, need);
  else if (PREPARED[kind] !== undefined) PREPARED[kind](scene, name);
  else throw new Error(`a page needs '${need}', which nobody knows`);
}

function pretend({ home }: Scene, program: string): void {
  put(join(home, 'pretended'), program, `#!/bin/sh\necho ${ANSWERS[program] ?? ''}\n`, 0o755);
}

/** Cordon itself starts it, so it is not in the home, which lies below /tmp here. */
function pretendedHelper(program: string): string {
  const folder = trustedFolder('pretended');
  writeFileSync(join(folder, program), `#!/bin/sh\necho ${ANSWERS[program]}\n`, { mode: 0o755 });
  return folder;
}

function put(folder: string, path: string, text: string, mode = 0o644): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  giveTo(folder);
}

/** A program that imports the library finds it as an installed package. */
function link({ home }: Scene): void {
  mkdirSync(join(home, 'node_modules', '@types'), { recursive: true });
  symlinkSync(dirname(dirname(cordonProgram())), join(home, 'node_modules', 'cordon'));
  symlinkSync(openCopy(join(ROOT, 'node_modules', '@types', 'node')), join(home, 'node_modules', '@types', 'node'));
}

function giveTo(folder: string): void {
  chmodSync(folder, 0o755);
  const { uid, gid } = identityOf(READER);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '-h', `${uid}:${gid}`, folder]);
}

/** Every command must succeed, save that the last may have the exit code the page says. */
export function type(scene: Scene, script: string, input = ''): Ran {
  const text = `set -eo pipefail\ntrap 'echo "[at: $BASH_COMMAND]" >&2' ERR\n${scene.place(script)}\n`;
  const [program, ...args] = [...scene.through, 'timeout', '300', 'bash', '-c', text];
  return runAs(program as string, args, { user: READER, ...scene, input });
}
