import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { USERS } from '../../support/users.ts';
import { ensureOrdinaryUser, makeFolder, makePlace, own, type Place, planFor, runUnder, without } from './sandbox.ts';

ensureOrdinaryUser();

const servers: Server[] = [];
const folders: string[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function listen(place: Place, path: string): Promise<string> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((done) => server.listen(path, done));
  chmodSync(path, 0o600);
  own(place.user, path);
  return path;
}

function connects(plan: ReturnType<typeof planFor>, place: Place, path: string): string {
  const program = `import socket,sys;s=socket.socket(socket.AF_UNIX);s.connect(sys.argv[1]);print("connected")`;
  return runUnder(plan, place, `/usr/bin/python3 -c '${program}' '${path}' 2>/dev/null || echo refused`).stdout.trim();
}

describe.each(USERS)('sockets of %s', (user) => {
  it.each([
    ['SSH_AUTH_SOCK', (path: string) => path],
    ['DOCKER_HOST', (path: string) => `unix://${path}`],
    ['DBUS_SESSION_BUS_ADDRESS', (path: string) => `unix:path=${path},guid=0123`],
    ['TMUX', (path: string) => `${path},1234,0`],
    ['VSCODE_IPC_HOOK_CLI', (path: string) => path],
    ['KITTY_LISTEN_ON', (path: string) => `unix:${path}`],
    ['GPG_AGENT_INFO', (path: string) => `${path}:123:1`],
  ])('the one that %s names cannot be reached, and can without the mask', async (name, spell) => {
    const place = makePlace(user);
    const path = await listen(place, join(place.home, 'agent.sock'));
    const plan = planFor(place, { env: { [name]: spell(path) } });
    expect(connects(plan, place, path)).toBe('refused');
    expect(
      connects(
        without(plan, (covered) => covered === path),
        place,
        path,
      ),
    ).toBe('connected');
    expect(connects(planFor(place, { env: { [name]: spell(path) }, policy: { expose: [path] } }), place, path)).toBe(
      'connected',
    );
  });

  it('agents in their usual folders cannot be reached', async () => {
    const place = makePlace(user);
    const folder = mkdtempSync('/tmp/ssh-');
    folders.push(folder);
    own(user, folder);
    makeFolder(place, join(place.home, '.gnupg'));
    for (const path of [join(folder, 'agent.1'), join(place.home, '.gnupg/S.gpg-agent')]) {
      await listen(place, path);
      expect(connects(planFor(place), place, path)).toBe('refused');
      expect(connects(planFor(place, { policy: { preset: 'all' } }), place, path)).toBe('connected');
    }
  });

  it('the runtime folder is the command’s own: empty, and to be used', async () => {
    const place = makePlace(user);
    const runtime = join(place.home, '..', 'runtime');
    makeFolder(place, runtime);
    const path = await listen(place, join(runtime, 'bus'));
    const plan = planFor(place, { env: { XDG_RUNTIME_DIR: runtime } });
    expect(connects(plan, place, path)).toBe('refused');
    expect(runUnder(plan, place, `ls -A '${runtime}'; echo x >'${runtime}/mine' && cat '${runtime}/mine'`).stdout).toBe(
      'x\n',
    );
    expect(connects(planFor(place), place, path)).toBe('connected');
    expect(
      connects(planFor(place, { env: { XDG_RUNTIME_DIR: runtime }, policy: { expose: [path] } }), place, path),
    ).toBe('connected');
  });

  it('a variable that names the whole home hides nothing, and says so', () => {
    const place = makePlace(user);
    const plan = planFor(place, { env: { GNUPGHOME: place.home, XDG_RUNTIME_DIR: '/tmp' } });
    expect(plan.notes.filter((note) => note.includes('too much else'))).toHaveLength(2);
    expect(runUnder(plan, place, 'echo x >file').status).toBe(0);
  });
});
