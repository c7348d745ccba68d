import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { World } from '../changes/world.ts';
import { USERS } from '../support/users.ts';

/** What agents keep in the home: what was said is written for real, and nothing that they, or git for them, would run later outside. PROJECT is the workspace's. */
const KEPT: readonly { agent: string; said: readonly string[]; run: readonly string[] }[] = [
  {
    agent: 'claude',
    said: ['.claude/projects/PROJECT/1.jsonl', '.claude/projects/PROJECT/1/subagents/2.jsonl', '.claude/todos/1.json'],
    run: [
      ...['.claude/shell-snapshots/snapshot-bash-1.sh', '.claude/statsig/flags', '.claude/settings.json'],
      ...['.claude/projects/-other/1.jsonl', '.claude/projects/-other/memory/MEMORY.md'],
      '.claude/projects/PROJECT/memory/MEMORY.md',
    ],
  },
  {
    agent: 'opencode',
    said: ['.local/share/opencode/storage/message/1.json'],
    run: ['.local/share/opencode/snapshot/p/config', '.local/share/opencode/project/p/snapshot/config'],
  },
  { agent: 'gemini', said: [], run: ['.gemini/history/p/.git/hooks/post-commit', '.gemini/tmp/bin/rg'] },
  {
    agent: 'qwen',
    said: ['.qwen/projects/PROJECT/chats/1.jsonl'],
    run: ['.qwen/tmp/bin/rg', '.qwen/projects/-other/chats/1.jsonl', '.qwen/projects/PROJECT/memory/MEMORY.md'],
  },
  { agent: 'cursor', said: ['.cursor/chats/1'], run: ['.cursor/projects/p/mcp-approvals.json'] },
];

/** What agents call the folder of a project. */
const project = (folder: string) => folder.replace(/[^A-Za-z0-9]/g, '-');

describe.each(USERS)('what an agent keeps in the home of %s', (user) => {
  it.each(KEPT)('$agent: what was said is written, what is run later is put aside', ({ agent, said, run }) => {
    const world = new World(user);
    const [saying, running] = [said, run].map((paths) =>
      paths.map((path) => path.replace('PROJECT', project(world.work))),
    );
    const all = [...(saying ?? []), ...(running ?? [])];
    for (const path of all) world.put(path, 'old\n');
    const written = all.map((path) => `echo new >>~/${path}`).join('; ');
    expect(world.run(written, ['--agent', agent])).toMatchObject({ code: 0, stderr: '' });
    for (const path of saying ?? []) expect(world.text(path)).toBe('old\nnew\n');
    for (const path of running ?? []) expect(world.text(path)).toBe('old\n');
  });

  it('what it is to remember is there again in the same workspace, and nowhere else', () => {
    const world = new World(user);
    world.folder('.claude/projects');
    const memory = `~/.claude/projects/${project(world.work)}/memory/MEMORY.md`;
    expect(world.run(`echo learnt >${memory}`, ['--agent', 'claude'])).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(memory.replace('~', world.home))).toBe(false);
    expect(world.run(`cat ${memory}`, ['--agent', 'claude']).stdout).toBe('learnt\n');
    expect(world.run(`cat ${memory}`, ['--agent', 'claude'], world.folder('code/other')).code).toBe(1);
  });

  it('a session begins in a new folder of the project, and is gone on with inside and outside', () => {
    const world = new World(user);
    world.folder('.claude/projects');
    const sub = world.folder('code/app/sub dir');
    for (const cwd of [world.work, sub]) {
      const session = `.claude/projects/${project(cwd)}/1.jsonl`;
      expect(world.run(`echo one >~/${session}`, ['--agent', 'claude'], cwd)).toMatchObject({ code: 0, stderr: '' });
      expect(world.text(session)).toBe('one\n');
      world.put(session, 'one\ntwo\n');
      expect(world.run(`cat ~/${session}; echo three >>~/${session}`, ['--agent', 'claude'], cwd).stdout).toBe(
        'one\ntwo\n',
      );
      expect(world.text(session)).toBe('one\ntwo\nthree\n');
    }
  });

  it.each(KEPT.filter(({ said }) => said.length > 0))('$agent: no link stays where it would write outside', (kept) => {
    const world = new World(user);
    const said = kept.said.map((path) => path.replace('PROJECT', project(world.work)));
    for (const path of said) world.put(path, 'old\n');
    world.put('.bashrc', 'mine\n');
    const planted = said.map((path) => `ln -sf ~/.bashrc ~/${path}; mkfifo ~/${path}.pipe`).join('; ');
    const { stderr } = world.run(planted, ['--agent', kept.agent]);
    for (const path of said) {
      expect(stderr).toContain(`${join(world.home, path)} was made a link by the command, and is now `);
      expect(stderr).toContain(`${join(world.home, path)}.pipe was made by the command and is not a plain file`);
      expect(existsSync(join(world.home, path))).toBe(false);
      world.put(path, 'export X=1\n');
    }
    expect(world.text('.bashrc')).toBe('mine\n');
  });
});
