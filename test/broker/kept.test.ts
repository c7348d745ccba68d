import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cordon, type Scene, sceneOf } from '../network/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { identityOf } from '../support/users.ts';
import { NAME, SERVERS, serverOf, VALUE } from './support.ts';

/** What another process of the user gets out of those whose command line has a word: each thing that it could read, and what it found. */
const READ = `
import ctypes, os, sys
word, value = sys.argv[1].encode(), bytes.fromhex(sys.argv[2])
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: line = open(f'/proc/{pid}/cmdline', 'rb').read()
    except OSError: continue
    words = [one.split(b'\\0')[0].split(b'/')[-1] for one in line.split(b'\\0')]
    if word not in words or int(pid) == os.getpid(): continue
    print('seen')
    for name in ('environ', 'maps', 'auxv', 'stack', 'mem'):
        try:
            open(f'/proc/{pid}/{name}', 'rb').close()
            print('opened', name)
        except OSError: pass
    try: print('listed', 'fd', len(os.listdir(f'/proc/{pid}/fd')) > 0)
    except OSError: pass
    try:
        with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as memory:
            for row in maps:
                start, end = (int(x, 16) for x in row.split()[0].split('-'))
                if 'rw' not in row or end - start > 1 << 28: continue
                try:
                    memory.seek(start)
                    if value in memory.read(end - start): print('FOUND')
                except (OSError, ValueError, OverflowError): pass
    except OSError: pass
    if ctypes.CDLL(None).ptrace(0x4206, int(pid), None, None) == 0: print('traced')
`;

async function readBy({ user, home }: Scene, word: string): Promise<string[]> {
  const child = spawn('python3', ['-c', READ, word, Buffer.from(VALUE).toString('hex')], {
    ...identityOf(user),
    cwd: home,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return [...new Set(said.split('\n').filter((line) => line !== ''))];
}

function brokered(scene: Scene, port: number): [string[], Record<string, string>] {
  const ca = join(scene.home, 'company.pem');
  writeFileSync(ca, SERVERS.certificate);
  const use = `curl -sS -H "Authorization: Bearer $TOKEN" https://${NAME}/`;
  const args = ['run', '--broker', `TOKEN@${NAME}`, '--net', `${NAME}=127.0.0.1:${port}`, '--', 'sh', '-c', use];
  return [args, { TOKEN: VALUE, NODE_EXTRA_CA_CERTS: ca }];
}

// Root reads every process, whatever it does.
describe('the process that holds the values', () => {
  test('is seen by other processes of the user, and not read', async () => {
    const scene = sceneOf('cordon-test');
    let read: string[] = [];
    const port = await serverOf((_req, res) => {
      void readBy(scene, 'network.cjs').then((found) => {
        read = found;
        res.end('done');
      });
    });
    const ran = await cordon(scene, ...brokered(scene, port));
    expect(ran.stdout, ran.stderr).toBe('done');
    expect(read).toEqual(['seen']);
  });

  test('would be read if it were a process like any other', async () => {
    const scene = sceneOf('cordon-test');
    const plain = spawn(
      process.execPath,
      [
        '-e',
        `const held = [require('fs').readFileSync(0, 'latin1')]; console.log('ready'); setInterval(() => held, 1e6)`,
        'plain.cjs',
      ],
      { ...identityOf('cordon-test'), cwd: scene.home, env: {}, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    onTestFinished(() => {
      plain.kill('SIGKILL');
    });
    plain.stdin.end(VALUE);
    await once(plain.stdout, 'data');
    const read = await readBy(scene, 'plain.cjs');
    expect(read).toEqual(
      expect.arrayContaining(['seen', 'opened environ', 'opened mem', 'listed fd True', 'FOUND', 'traced']),
    );
  });

  test('gets no connection where nobody can keep others from reading it', async () => {
    const scene = sceneOf('cordon-test');
    const seen: unknown[] = [];
    const port = await serverOf((_req, res) => {
      seen.push(1);
      res.end('sent');
    });
    const [args, env] = brokered(scene, port);
    const ran = await startedWithout(scene, [cordonProgram(), ...args], env);
    expect(ran).toContain('brokered credentials are not sent: any process of this user could read them');
    expect(ran).not.toContain(VALUE);
    expect(seen).toEqual([]);
  });
});

/** Refuses ptrace by a system call filter, as some containers do. */
const WITHOUT_PTRACE = `
import ctypes, os, platform, struct, sys
number = {'x86_64': 101, 'aarch64': 117}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)]
block = b''.join(struct.pack('HBBI', *one) for one in code)
room = ctypes.create_string_buffer(block)
program = struct.pack('HxxxxxxQ', len(code), ctypes.addressof(room))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.c_char_p(program)) == 0
os.execv(sys.argv[1], sys.argv[1:])
`;

async function startedWithout({ user, home }: Scene, argv: readonly string[], env: Record<string, string>) {
  const child = spawn('python3', ['-c', WITHOUT_PTRACE, ...argv], {
    ...identityOf(user),
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await once(child, 'close');
  return said;
}
