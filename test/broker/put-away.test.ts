import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Scene, sceneOf } from '../network/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { identityOf, ONLY_ROOT, type User } from '../support/users.ts';
import { AGENTS, logInScene, program, realTokens, vendorOf } from './log-in-scene.ts';
import { NAME, SERVERS, serverOf, VALUE } from './support.ts';

/** How often each text is in the memory of a process. */
const COUNT = `
import sys
pid, texts = sys.argv[1], [bytes.fromhex(one) for one in sys.argv[2:]]
found = [0] * len(texts)
with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as memory:
    for row in maps:
        start, end = (int(x, 16) for x in row.split()[0].split('-'))
        if 'r' not in row.split()[1]: continue
        try:
            memory.seek(start)
            data = memory.read(end - start)
        except (OSError, ValueError, OverflowError): continue
        found = [sum(pair) for pair in zip(found, [data.count(text) for text in texts])]
print(*found)
`;

const VALUE_FORMS = [VALUE, Buffer.from(VALUE).toString('base64'), Buffer.from(VALUE).toString('hex')];

function countsIn(pid: string, forms: readonly string[]): number[] {
  const texts = forms.map((form) => Buffer.from(form, 'latin1').toString('hex'));
  const said = execFileSync('python3', ['-c', COUNT, pid, ...texts], { encoding: 'utf8' });
  return said.trim().split(' ').map(Number);
}

/** The process outside of a launch. */
function outsideOf(launcher: number): string {
  const found = readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .find((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === launcher && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('network.cjs');
      } catch {
        return false;
      }
    });
  return found ?? expect.fail('there is no process outside');
}

const lockedOf = (pid: string) =>
  Number(/^VmLck:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** A command that then does nothing, until the test is over. */
async function launched({ user, home }: Scene, args: readonly string[], env: Record<string, string>, limit = '') {
  const child = spawn('sh', ['-c', `${limit} exec "$@"`, 'sh', cordonProgram(), ...args], {
    ...identityOf(user),
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  launcher = child.pid as number;
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += text;
    if (said.includes('\nused')) break;
  }
  return said;
}

let launcher = 0;

/** On a busy machine one may stay where nobody writes over it. Without all this there are hundreds. */
const FEW = 1;

/** What the last look found: few as soon as it is, or what it was after half a minute. */
async function whenPutAway(pid: string, forms: readonly string[]): Promise<number> {
  for (const until = Date.now() + 30_000; ; await after(100)) {
    const now = countsIn(pid, forms).reduce((sum, count) => sum + count, 0);
    if (Date.now() > until || now <= FEW) return now;
  }
}

/** Only root reads such a process. */
describe.each(ONLY_ROOT)('as %s sees it', () => {
  test.each<[User, string]>([
    ['root', ''],
    ['cordon-test', ''],
    ['cordon-test', 'ulimit -l 0;'],
  ])(
    'the process outside of %s has a value in use, and hardly anywhere when nothing is under way (%s)',
    async (user, limit) => {
      let inUse: number[] = [];
      const port = await serverOf((_req, res) => {
        inUse = countsIn(outsideOf(launcher), VALUE_FORMS);
        res.end('hello\n');
      }, NAME);
      const scene = sceneOf(user);
      const ca = join(scene.home, 'company.pem');
      writeFileSync(ca, SERVERS.certificate);
      const use = `curl -sS -H "Authorization: Bearer $TOKEN" https://${NAME}/; echo used; exec sleep 1000`;
      const args = ['run', '--broker', `TOKEN@${NAME}`, '--net', `${NAME}=127.0.0.1:${port}`, '--', 'sh', '-c', use];
      const said = await launched(scene, args, { TOKEN: VALUE, NODE_EXTRA_CA_CERTS: ca }, limit);
      expect(said).toContain('hello');
      expect(inUse[0]).toBeGreaterThan(0);
      const pid = outsideOf(launcher);
      // The key that the rest is encrypted with is locked where that is allowed.
      expect(lockedOf(pid)).toBe(limit === '' ? 2048 : 0);
      expect(await whenPutAway(pid, VALUE_FORMS)).toBeLessThanOrEqual(FEW);
    },
  );

  test.each(AGENTS)(
    'of the log-in of %s the tokens that were replaced, and the new ones, are hardly anywhere after a renewal',
    async (agent) => {
      const vendor = await vendorOf(agent);
      const script = `${program(agent).replace('exec node', 'node')}echo used; exec sleep 1000\n`;
      const scene = logInScene('cordon-test', agent, script);
      const said = await launched(scene, scene.args(vendor), scene.env);
      expect(said).toContain('"renewed":200');
      expect(await whenPutAway(outsideOf(launcher), realTokens(agent))).toBeLessThanOrEqual(FEW);
    },
  );
});
