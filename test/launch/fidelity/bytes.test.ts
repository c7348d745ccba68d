import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { begin, ended } from '../../support/escape-run.ts';
import { Scene } from '../../support/escape-scene.ts';
import { cordonRun, EVERYWHERE } from './terminal.ts';

const HUNDRED_MB = 100 * 1024 * 1024;

/** Becomes the command with arguments given as hexadecimal, since text could not say them. */
const WITH_ARGUMENTS = `
import os, sys
count = int(sys.argv[1])
extra, argv = sys.argv[2:2 + count], sys.argv[2 + count:]
os.execv(argv[0], [os.fsencode(a) for a in argv] + [bytes.fromhex(a) for a in extra])
`;

const SHOW_ARGUMENTS = 'import os, sys\nfor a in sys.argv[1:]: print(os.fsencode(a).hex() or "-")';

const HASH_ENVIRONMENT = `
import hashlib, os
mine = sorted(entry for entry in open('/proc/self/environ', 'rb').read().split(b'\\0') if entry.startswith(b'BIG'))
print(len(mine), sum(map(len, mine)), hashlib.sha256(b'\\0'.join(mine)).hexdigest())
`;

vi.setConfig({ testTimeout: 60_000 });

describe.each(EVERYWHERE)('for %s with isolation %s', (user, isolation) => {
  it('100 MB go in and come back unchanged', async () => {
    const scene = new Scene(user);
    const child = begin({ scene, env: {}, starter: [], input: 'open' }, cordonRun(isolation, 'cat'));
    const [sent, got] = [createHash('sha256'), createHash('sha256')];
    let length = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      got.update(chunk);
      length += chunk.length;
    });
    const done = new Promise<number | null>((resolve) => child.once('close', resolve));
    const chunk = randomBytes(1 << 20);
    for (let at = 0; at < HUNDRED_MB; at += chunk.length) {
      chunk.writeUInt32LE(at, 0);
      sent.update(chunk);
      const copy = Buffer.from(chunk);
      if (child.stdin?.write(copy) === false) await new Promise((resolve) => child.stdin?.once('drain', resolve));
    }
    child.stdin?.end();
    expect(await done).toBe(0);
    expect(length).toBe(HUNDRED_MB);
    expect(got.digest('hex')).toBe(sent.digest('hex'));
  });

  it('of a file as standard input each reads on where the one before stopped', async () => {
    const scene = new Scene(user);
    const file = scene.file('lines', 'one\ntwo\nthree\nfour\n');
    const around = `exec <${file}; read -r a; "$@"; code=$?; read -r c; echo "outside $a $c"; exit $code`;
    const starter = ['/bin/sh', '-c', around, 'sh'];
    const child = begin(
      { scene, env: {}, starter },
      cordonRun(isolation, 'sh', '-c', 'read -r b; echo "inside $b"; exit 3'),
    );
    expect(await ended(child)).toMatchObject({ code: 3, stdout: 'inside two\noutside one three\n', stderr: '' });
  });

  it('arguments pass byte for byte: empty, with newlines, in no encoding', async () => {
    const scene = new Scene(user);
    const odd = ['', 'a b', "it's", '$HOME `x` \\', 'line\nbreak\t', '--', '-x', '\u{1f600}'].map((text) =>
      Buffer.from(text).toString('hex'),
    );
    const given = [...odd, 'fffe80', '01021b5b324a7f', 'c3'];
    const starter = ['python3', '-c', WITH_ARGUMENTS, String(given.length), ...given];
    const child = begin({ scene, env: {}, starter }, cordonRun(isolation, 'python3', '-c', SHOW_ARGUMENTS));
    const { stdout, stderr } = await ended(child);
    expect(stdout.trim().split('\n'), stderr).toEqual(given.map((hex) => hex || '-'));
  });

  it('an environment of 5 MB passes, with values as long as the kernel takes', async () => {
    const scene = new Scene(user);
    const longest = 131072 - 'BIG_00='.length - 1;
    const env = Object.fromEntries(
      Array.from({ length: 41 }, (_, i) => [`BIG_${String(i).padStart(2, '0')}`, String(i % 10).repeat(longest)]),
    );
    const entries = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const expected = createHash('sha256').update(entries.sort().join('\0')).digest('hex');
    const starter = ['prlimit', '--stack=134217728:134217728'];
    const argv = cordonRun(isolation, 'python3', '-c', HASH_ENVIRONMENT);
    argv.splice(2, 0, '--base', 'all');
    const { stdout, stderr } = await ended(
      begin({ scene, env: {}, starter: [...starter, 'python3', '-c', FILL] }, argv),
    );
    expect(stdout.trim(), stderr).toBe(`41 ${entries.join('').length} ${expected}`);
  });

  it('a working folder with an odd name is kept, and so is a closed error output', async () => {
    const scene = new Scene(user);
    const folder = scene.folder('work/a b\n\u00e9');
    const starter = ['/bin/sh', '-c', 'cd "$0" && exec "$@" 2>&-', folder];
    const { code, stdout } = await ended(begin({ scene, env: {}, starter }, cordonRun(isolation, 'pwd')));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${folder}\n` });
  });
});

/** The test's own process could not hold such an environment without a raised limit of its own. */
const FILL = `
import os, sys
longest = 131072 - len('BIG_00=') - 1
for i in range(41): os.environ[f'BIG_{i:02}'] = str(i % 10) * longest
os.execv(sys.argv[1], sys.argv[1:])
`;
