import { describe, expect, it } from 'vitest';
import { World } from '../changes/world.ts';
import { USERS } from '../support/users.ts';

/** What agents keep in the home: what was said is written for real, and nothing that they, or git for them, would run later outside. */
const KEPT: readonly { agent: string; said: readonly string[]; run: readonly string[] }[] = [
  {
    agent: 'claude',
    said: ['.claude/projects/p/1.jsonl', '.claude/todos/1.json'],
    run: ['.claude/shell-snapshots/snapshot-bash-1.sh', '.claude/statsig/flags', '.claude/settings.json'],
  },
  {
    agent: 'opencode',
    said: ['.local/share/opencode/storage/message/1.json'],
    run: ['.local/share/opencode/snapshot/p/config', '.local/share/opencode/project/p/snapshot/config'],
  },
  { agent: 'gemini', said: [], run: ['.gemini/history/p/.git/hooks/post-commit', '.gemini/tmp/bin/rg'] },
  { agent: 'qwen', said: ['.qwen/projects/p/1.jsonl'], run: ['.qwen/tmp/bin/rg'] },
  { agent: 'cursor', said: ['.cursor/chats/1'], run: ['.cursor/projects/p/mcp-approvals.json'] },
];

describe.each(USERS)('what an agent keeps in the home of %s', (user) => {
  it.each(KEPT)('$agent: what was said is written, what is run later is put aside', ({ agent, said, run }) => {
    const world = new World(user);
    for (const path of [...said, ...run]) world.put(path, 'old\n');
    const written = [...said, ...run].map((path) => `echo new >>~/${path}`).join('; ');
    expect(world.run(written, ['--agent', agent])).toMatchObject({ code: 0, stderr: '' });
    for (const path of said) expect(world.text(path)).toBe('old\nnew\n');
    for (const path of run) expect(world.text(path)).toBe('old\n');
  });
});
