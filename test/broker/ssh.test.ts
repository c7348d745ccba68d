import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordon, recordsOf, type Scene, sceneOf } from '../network/support.ts';
import { USERS, type User } from '../support/users.ts';
import { BOX, OTHER, PORT, type SshStage, sshStage } from './ssh-stage.ts';

interface Stage extends SshStage {
  readonly scene: Scene;
}

async function staged(user: User, kind?: string): Promise<Stage> {
  const scene = sceneOf(user);
  return { scene, ...(await sshStage(scene.home, user, kind)) };
}

function inside({ scene, env, net: hosts }: Stage, broker: readonly string[], script: string) {
  const ssh = `ssh() { command ssh -F none -p ${PORT} -o BatchMode=yes -o UserKnownHostsFile="$HOME/.ssh/known_hosts" -o IdentityFile=none "$@"; }`;
  const flags = broker.flatMap((one) => ['--broker', one]);
  return cordon(scene, ['run', ...flags, ...hosts, '--', 'sh', '-c', `${ssh}\n${script}`], env);
}

const hostKinds = ['ed25519', 'ecdsa', 'rsa'];

describe.each(USERS)("an agent of the command's own, as %s", (user) => {
  test('shows one key and logs in to one host with it', async () => {
    const stage = await staged(user);
    const script = `
ssh-add -l | cut -d' ' -f2
ssh ${BOX} echo logged in
ssh ${OTHER} echo logged in elsewhere || echo refused`;
    const ran = await inside(stage, [`ssh:work key@${BOX}:${PORT}`], script);
    expect(ran.stdout.split('\n'), ran.stderr).toEqual([stage.keys.work, 'logged in', 'refused', '']);
    const told = recordsOf(stage.scene).filter(({ via }) => via === 'broker');
    expect(told).toMatchObject([
      { name: BOX, port: PORT, verdict: 'allowed', credentials: ['ssh:work key'] },
      { verdict: 'refused', rule: 'host', why: expect.stringContaining(`for ${BOX} only`) },
    ]);
  });

  test('one key for two hosts, and another one that is only shown', async () => {
    const stage = await staged(user);
    const script = `ssh-add -l | wc -l\nssh ${BOX} echo one\nssh -o IdentitiesOnly=yes -i "$HOME/.ssh/work.pub" ${OTHER} echo two`;
    const broker = [
      `ssh:work@${BOX}:${PORT}`,
      `ssh:${stage.keys.work}@${OTHER}:${PORT}`,
      `ssh:private@${OTHER}:${PORT}`,
    ];
    const ran = await inside(stage, broker, script);
    expect(ran.stdout.split('\n'), ran.stderr).toEqual(['2', 'one', 'two', '']);
  });

  test('a profile says the same, and --ssh-agent beside it is an error', async () => {
    const stage = await staged(user);
    const { scene, env, net: hosts } = stage;
    const profile = join(scene.home, 'p.json');
    const ssh_keys = [{ key: 'work', for: `${BOX}:${PORT}` }];
    writeFileSync(profile, JSON.stringify({ environment: { base: 'os-common' }, ssh_keys }), { mode: 0o644 });
    const script = `
ssh() { command ssh -F none -p ${PORT} -o BatchMode=yes -o UserKnownHostsFile="$HOME/.ssh/known_hosts" -o IdentityFile=none "$@"; }
ssh-add -l | cut -d' ' -f2
ssh ${BOX} echo logged in
ssh ${OTHER} echo logged in elsewhere || echo refused`;
    const run = (...flags: string[]) =>
      cordon(scene, ['run', '--profile', profile, ...flags, ...hosts, '--', 'sh', '-c', script], env);
    const ran = await run();
    expect(ran.stdout.split('\n'), ran.stderr).toEqual([stage.keys.work, 'logged in', 'refused', '']);
    expect((await run('--ssh-agent')).stderr).toContain('--ssh-agent and ssh_keys contradict each other');
    const shown = await cordon(scene, ['profile', 'show', profile], env);
    expect(shown.stdout).toMatch(new RegExp(`ssh_keys .*work for ${BOX}:${PORT}`));
  });

  test('without it the agent has every key for every host', async () => {
    const stage = await staged(user);
    const script = `ssh-add -l | wc -l\nssh ${OTHER} echo logged in elsewhere`;
    const { scene, env, net: hosts } = stage;
    const ssh = `ssh() { command ssh -F none -p ${PORT} -o BatchMode=yes -o UserKnownHostsFile="$HOME/.ssh/known_hosts" "$@"; }`;
    const ran = await cordon(scene, ['run', '--ssh-agent', ...hosts, '--', 'sh', '-c', `${ssh}\n${script}`], env);
    expect(ran.stdout.split('\n'), ran.stderr).toEqual(['2', 'logged in elsewhere', '']);
  });

  test('adds, removes, locks and forwards nothing, and signs nothing but log-ins', async () => {
    const stage = await staged(user);
    const script = `
ssh-keygen -q -t ed25519 -N '' -f /tmp/new
ssh-add /tmp/new && echo ADDED
ssh-add -D && echo REMOVED
ssh-add -d "$HOME/.ssh/work.pub" && echo REMOVED
printf 'x\\nx\\n' | SSH_ASKPASS=/bin/echo SSH_ASKPASS_REQUIRE=force ssh-add -x && echo LOCKED
ssh -A ${BOX} 'ssh-add -l && ssh-add -T ${stage.path('work')}.pub && echo FORWARDED'
echo text > /tmp/text; ssh-keygen -Y sign -f "$HOME/.ssh/work.pub" -n file /tmp/text && echo SIGNED
ssh-add -l | wc -l
ssh ${BOX} echo still works`;
    const ran = await inside(stage, [`ssh:${stage.keys.work}@${BOX}:${PORT}`], script);
    expect(ran.stdout, ran.stderr).not.toMatch(/ADDED|REMOVED|LOCKED|FORWARDED|SIGNED/);
    expect(ran.stdout).toMatch(/1\nstill works\n$/);
    const left = execFileSync('ssh-add', ['-l'], { env: { ...stage.env, PATH: '/usr/bin' }, encoding: 'utf8' });
    expect(left.trim().split('\n')).toHaveLength(2);
  });

  test('is not fooled by what a program says about its session', async () => {
    const stage = await staged(user);
    const blob = readFileSync(`${stage.path('work')}.pub`, 'utf8').split(' ')[1] as string;
    const host = readFileSync(stage.path(`host-${BOX}.pub`), 'utf8').split(' ')[1] as string;
    const ran = await inside(stage, [`ssh:work@${BOX}:${PORT}`], `python3 -c '${LIES}' ${blob} ${host}`);
    expect(ran.stdout.split('\n').slice(0, -1), ran.stderr).toEqual(['5', '28', '5', '28', '5', '5', '5', 'closed']);
  });

  test('what can not be held is refused before anything starts', async () => {
    const stage = await staged(user);
    const said = async (...broker: string[]) => (await inside(stage, broker, 'echo started')).stderr;
    expect(await said('ssh:work@unknown.example.test')).toContain('no key of the host unknown.example.test is known');
    expect(await said('ssh:work@*.example.test')).toContain("'*.example.test' is not one host");
    for (const flags of ['--fs all', '--write /', '--expose /run', '--write /var/run'].map((text) => text.split(' '))) {
      const { scene, env } = stage;
      const args = ['run', ...flags, '--broker', `ssh:work@${BOX}:${PORT}`, '--', 'echo', 'started'];
      const ran = await cordon(scene, args, env);
      expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining('needs a place of its own') });
    }
    expect(await said('ssh:work')).toContain("'ssh:work' names no key and host");
    const none = await cordon(stage.scene, ['run', '--broker', `ssh:work@${BOX}:${PORT}`, '--', 'echo', 'started']);
    expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('there is no ssh-agent') });
  });
});

test.each(['minimal', 'workspace', 'guarded'])('it is there with --fs %s', async (preset) => {
  const { scene, env, keys } = await staged('cordon-test');
  const args = ['run', '--fs', preset, '--broker', `ssh:work@${BOX}:${PORT}`, '--', 'ssh-add', '-l'];
  const ran = await cordon(scene, args, env);
  expect(ran.stdout, ran.stderr).toContain(keys.work);
});

test.each(hostKinds)('a host is proven by a key of the kind %s', async (kind) => {
  const stage = await staged('cordon-test', kind);
  const ran = await inside(
    stage,
    [`ssh:work@${BOX}:${PORT}`],
    `ssh ${BOX} echo logged in; ssh ${OTHER} echo elsewhere`,
  );
  expect(ran.stdout, ran.stderr).toBe('logged in\n');
});

/** Asks for signatures with proofs that are none: without, forged, with a session of its own, cut off, too long. */
const LIES = `
import base64, os, socket, struct, sys
blob, host = (base64.b64decode(one) for one in sys.argv[1:])
text = lambda data: struct.pack(">I", len(data)) + data
session = b"s" * 32
login = text(session) + b"\\x32" + text(b"me") + text(b"ssh-connection") + text(b"publickey") + b"\\x01" + text(b"ssh-ed25519") + text(blob)
sign = b"\\x0d" + text(blob) + text(login) + struct.pack(">I", 0)
bind = lambda signature, forwarding=b"\\x00": b"\\x1b" + text(b"session-bind@openssh.com") + text(host) + text(session) + text(signature) + forwarding
def ask(*messages):
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["SSH_AUTH_SOCK"])
    for message in messages:
        s.sendall(text(message))
        length = s.recv(4)
        if not length: return print("closed")
        print(s.recv(struct.unpack(">I", length)[0])[0])
ask(sign)
ask(bind(text(b"ssh-ed25519") + text(bytes(64))), sign)
ask(bind(b""), sign)
ask(b"\\x0d" + text(blob)[:9])
ask(b"\\x0d" + text(host) + text(login) + struct.pack(">I", 0))
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["SSH_AUTH_SOCK"])
s.sendall(b"\\x7f\\xff\\xff\\xff" + bytes(100))
print("open" if s.recv(1) else "closed")
`;

describe('in a profile refused with the reason', () => {
  test.each([
    [[{ key: 'work' }], /for/],
    [[{ for: ['github.com'] }], /key/],
    [[{ key: 'work', for: [] }], /no host is named/],
    [[{ key: '', for: ['github.com'] }], /not the name of a key/],
    [[{ key: 'work', for: ['*.example.com'] }], /is not one host/],
    [[{ key: 'work', for: ['*'] }], /whatever host the command names/],
    [[{ key: 'work', for: ['10.0.0.1'] }], /is an address/],
    [
      [
        { key: 'work', for: ['a.example.com'] },
        { key: 'work', for: ['b.example.com'] },
      ],
      /stands here twice/,
    ],
    ['work@github.com', /list/],
  ])('%j', async (ssh_keys, reason) => {
    const scene = sceneOf('cordon-test');
    const profile = join(scene.home, 'p.json');
    writeFileSync(profile, JSON.stringify({ ssh_keys }), { mode: 0o644 });
    const { code, stderr } = await cordon(scene, ['profile', 'validate', profile]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/p\.json:1:/);
  });
});
