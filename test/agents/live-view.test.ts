import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { cordonProgram, runAs } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';
import { canaries, leaked, Place, variables } from './support.ts';

const EVENTS = `{"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"assistant","message":{"content":[{"type":"text","text":"I will look."}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}
garbage   with  spaces
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"a\\nb"}]}}
{"type":"result","is_error":false,"result":"I will look."}
`;

/** Says its first words, then waits until it is told to go on, so that it can be looked at. */
const SLOW = `#!/bin/sh
env -0 > "$PWD/environment"
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"first"}]}}'
while [ ! -e "$PWD/go-on" ]; do sleep 0.05; done
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"second"}]}}'
`;

function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(word));
}

const commandOf = (pid: string) => look(`/proc/${pid}/cmdline`);
const environmentOf = (pid: string) => variables(look(`/proc/${pid}/environ`));

function look(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** The processes between Cordon's own and the agent: what starts it, and holds its namespace. */
function workersOf(pid: string): string[] {
  const parent = /^PPid:\s+(\d+)$/m.exec(look(`/proc/${pid}/status`))?.[1] ?? '0';
  return parent === '0' || commandOf(parent).includes('start.cjs') ? [] : [parent, ...workersOf(parent)];
}

describe.each(USERS)('as %s', (user) => {
  test('worker, agent and renderer have one and the same sealed environment', async () => {
    const place = new Place(user);
    const planted = canaries();
    place.standIn('claude', SLOW);
    const env = { ...place.env, ...planted, ANTHROPIC_API_KEY: 'key-of-claude', MARK: 'unrelated' };
    const child = spawn(cordonProgram(), ['agent', 'run', 'claude', 'x'], {
      ...identityOf(user),
      cwd: place.work,
      env,
    });
    const output = text(child.stdout);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    expect(first.toString()).toBe('first\n');
    const renderers = processesWith('agent-renderer.js').filter((pid) => commandOf(pid).startsWith(process.execPath));
    const own = renderers.filter((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(place.home));
    const [renderer = ''] = own.map((pid) => look(`/proc/${pid}/environ`));
    const [claude = '0'] = processesWith(`/bin/sh\0${place.bin}/claude`);
    const workers = workersOf(claude).map(environmentOf);
    writeFileSync(join(place.work, 'go-on'), '');
    await once(child, 'close');
    expect(await output).toMatch(/second\n$/);
    const agent = place.environment();
    const mark = user === 'root' ? { IS_SANDBOX: '1' } : {};
    expect(agent).toEqual({ PATH: place.env.PATH, HOME: place.home, ANTHROPIC_API_KEY: 'key-of-claude', ...mark });
    expect(variables(renderer)).toEqual(agent);
    expect(workers.length).toBeGreaterThan(1);
    for (const worker of workers) expect([{}, agent]).toContainEqual(worker);
    expect(leaked(planted, renderer)).toEqual([]);
  });

  const withEvents = () => {
    const place = new Place(user);
    place.file('work/events', EVENTS);
    for (const program of ['claude', 'qwen', 'amp'])
      place.standIn(program, `#!/bin/sh\nexec cat '${place.work}/events'\n`);
    return place;
  };

  test.each(['claude', 'qwen', 'amp'])('%s: text, calls and answers', (agent) => {
    expect(withEvents().cordon(['agent', 'run', agent, 'x']).stdout).toBe(
      'I will look.\n▸ Bash ls\ngarbage   with  spaces\n  a\n  b\n',
    );
  });

  test('--json passes every byte through', () => {
    expect(withEvents().cordon(['agent', 'run', 'claude', '--json', 'x']).stdout).toBe(EVENTS);
  });

  test('coloured on a terminal, unless NO_COLOR says otherwise', () => {
    const place = withEvents();
    const onTerminal = (env: Record<string, string>) =>
      runAs(
        'python3',
        ['-c', 'import pty,sys; pty.spawn(sys.argv[1:])', cordonProgram(), 'agent', 'run', 'claude', 'x'],
        {
          user,
          home: place.home,
          cwd: place.work,
          env: { ...place.env, TERM: 'xterm', ...env },
        },
      ).stdout.replaceAll('\r', '');
    expect(onTerminal({})).toContain('\x1b[36m▸ Bash\x1b[0m ls\n');
    expect(onTerminal({ NO_COLOR: '1' })).toContain('▸ Bash ls\n');
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain('\x1b[36m');
  });

  test('a reader that goes away ends it', () => {
    const place = new Place(user);
    place.standIn(
      'claude',
      `#!/bin/sh\nwhile :; do echo '{"type":"assistant","message":{"content":"again"}}' || exit 0; done\n`,
    );
    const command = `'${cordonProgram()}' agent run claude x 2>/dev/null | head -n 1`;
    const { code, stdout } = runAs('/bin/sh', ['-c', command], {
      user,
      home: place.home,
      cwd: place.work,
      env: place.env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'again\n' });
  });

  test('IS_SANDBOX is for claude, as root, behind the barrier, and for nothing else', () => {
    const place = new Place(user);
    for (const program of ['claude', 'codex']) place.standIn(program);
    const marked = (...args: string[]) => {
      place.cordon(['agent', 'run', ...args, 'x']);
      return place.environment().IS_SANDBOX;
    };
    expect(marked('claude')).toBe(user === 'root' ? '1' : undefined);
    expect(marked('claude', '--isolation', 'filter')).toBeUndefined();
    expect(marked('claude', '--own-permissions')).toBeUndefined();
    expect(marked('codex')).toBeUndefined();
    expect(marked('manager')).toBeUndefined();
    expect(variables(place.cordon(['run', '--agent', 'claude', '--', 'env', '-0']).stdout)).not.toHaveProperty(
      'IS_SANDBOX',
    );
  });
});
