import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { shardOf } from '../../src/mcp/http/shards.ts';
import { TokenStore } from '../../src/mcp/http/tokens.ts';
import { callOf, HEADERS, INITIALIZE } from '../mcp/http-support.ts';
import { atEnd, eventually, isRunning, uniqueSleep } from '../mcp/support.ts';
import { openFolder } from '../support/project.ts';
import { ONLY_ROOT } from '../support/users.ts';

const run = promisify(execFile);
const IMAGE = `localhost/cordon-test:${process.pid}`;
const podman = (...args: string[]) => execFileSync('podman', args, { encoding: 'utf8' }).trim();

/** The settings that the barrier needs and no more, as those of the pod in deploy/. runc, since crun takes no mixed control groups. */
const HELD = [
  ...['--runtime', 'runc', '--log-driver', 'none', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges', '--security-opt', 'unmask=ALL'],
  ...['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4000:4000'],
];

const NAMES = ['user0', 'user1', 'user2', 'user3', 'user4', 'user5'];
const PEOPLE = [0, 1].map((number) => NAMES.find((name) => shardOf(name, 2) === number)) as [string, string];
const secretOf = (name: string) => `value-of-${name}-19c4`;

/** Asked from inside, since nothing leads there from outside: what a client sends, and what it gets. */
const ASK = `const [url, token, session, body] = process.argv.slice(1);
const headers = { ...${JSON.stringify(HEADERS)}, authorization: 'Bearer ' + token, ...(session ? { 'mcp-session-id': session } : {}) };
const answer = await fetch(url + '/mcp', { method: 'POST', headers, body });
console.log(JSON.stringify({ status: answer.status, id: answer.headers.get('mcp-session-id'), text: await answer.text() }));`;

class Containers {
  readonly ids: string[] = [];
  readonly tokens = new Map<string, string>();

  constructor() {
    const folder = openFolder('image');
    const [tokens, secrets] = ['tokens', 'secrets'].map((name) => join(folder, name)) as [string, string];
    for (const path of [folder, tokens, secrets]) mkdirSync(path, { recursive: true });
    const store = new TokenStore(join(tokens, 'tokens.jsonl'), 'shared');
    for (const name of PEOPLE) {
      this.tokens.set(name, store.add(name).token);
      writeFileSync(join(secrets, `users.${name}.yaml`), `sandboxed_envs:\n  OWN_KEY: ${secretOf(name)}\n`);
    }
    for (const path of [folder, tokens, secrets]) chmodSync(path, 0o755);
    chmodSync(join(tokens, 'tokens.jsonl'), 0o644);
    for (const number of [0, 1]) this.#start(number, tokens, secrets);
  }

  #start(number: number, tokens: string, secrets: string): void {
    // Both in the network of the first, where nothing but loopback is.
    const network = number === 0 ? 'none' : `container:${this.ids[0]}`;
    const name = number === 0 ? ['--hostname', 'cordon-0'] : [];
    const mounts = [`${tokens}:/run/cordon/tokens:ro`, `${secrets}:/run/cordon/secrets:ro`, '/var/lib/cordon'];
    const volumes = [...mounts, '/srv/cordon/workspaces'].flatMap((mount) => ['--volume', mount]);
    const peers = 'http://127.0.0.1:8730,http://127.0.0.2:8730';
    const serve = `exec cordon serve --listen=127.0.0.${number + 1}:8730 --workspaces=/srv/cordon/workspaces \
      --make-workspaces --tokens=/run/cordon/tokens/tokens.jsonl --shard=${number}/2 --peers=${peers}`;
    const script = `bash /usr/lib/cordon/place-secrets /run/cordon/secrets /var/lib/cordon && ${serve}`;
    const args = ['run', '--detach', '--network', network, ...name, ...HELD, ...volumes, '--entrypoint', 'bash'];
    const id = podman(...args, IMAGE, '-c', script);
    this.ids.push(id);
    atEnd(() => podman('rm', '--force', '--volumes', '--time', '0', '--depend', id));
  }

  async ask(at: number, name: string, body: object, session = '') {
    const url = `http://127.0.0.${at + 1}:8730`;
    const words = ['--input-type=module', '-e', ASK, '--', url, this.tokens.get(name) as string, session];
    const inside = ['exec', this.ids[0] as string, 'node', ...words, JSON.stringify(body)];
    return JSON.parse((await run('podman', inside)).stdout) as { status: number; id: string; text: string };
  }
}

describe.each(ONLY_ROOT)('the image, by podman as %s', () => {
  beforeAll(() => {
    const file = join(openFolder('archive'), 'image.tar');
    const script = fileURLToPath(new URL('../../scripts/image', import.meta.url));
    execFileSync(script, ['--load', '--output', file, IMAGE], { stdio: 'inherit' });
    return () => podman('rmi', '--force', IMAGE);
  }, 170_000);

  test('it has the barrier, as an ordinary user without capabilities', () => {
    const told = podman('run', '--rm', '--network', 'none', ...HELD, IMAGE, 'doctor', '--json');
    expect(JSON.parse(told).level).toBe('barrier');
  });

  test('two of them share their users; one that is killed is said, and no value is in the engine’s records', async () => {
    const containers = new Containers();
    const sessions = new Map<string, string>();
    await eventually(async () => expect((await containers.ask(0, PEOPLE[1], INITIALIZE)).status).toBe(200));
    for (const name of PEOPLE) {
      sessions.set(name, (await containers.ask(0, name, INITIALIZE)).id);
      for (const at of [0, 1]) {
        const { text } = await containers.ask(at, name, callOf('echo "$OWN_KEY"'), sessions.get(name));
        expect(text).toContain(`"output":"${secretOf(name)}"`);
      }
    }
    for (const id of containers.ids) {
      const kept = podman('inspect', id);
      for (const name of PEOPLE) expect(kept).not.toContain(secretOf(name));
    }
    const sleep = uniqueSleep();
    const running = containers.ask(0, PEOPLE[1], callOf(`sleep ${sleep}`), sessions.get(PEOPLE[1]));
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    podman('kill', '--signal', 'KILL', containers.ids[1] as string);
    expect((await running).text).toContain('it is unknown whether the call ran');
    await eventually(() => expect(isRunning(sleep)).toBe(false));
  });
});
