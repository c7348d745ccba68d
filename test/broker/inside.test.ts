import { writeFileSync } from 'node:fs';
import type http from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordon, recordsOf, type Scene, sceneOf } from '../network/support.ts';
import { USERS } from '../support/users.ts';
import { basic, NAME, SERVERS, serverOf, VALUE } from './support.ts';

const PLAIN = 'env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy -u HTTPS_PROXY -u https_proxy';

/** Says what it was told, and with which log-in. */
async function server(seen: http.IncomingHttpHeaders[], name = NAME): Promise<number> {
  return serverOf((req, res) => {
    seen.push(req.headers);
    req.resume().once('end', () => res.end(`${req.url} ${req.headers.authorization}\n`));
  }, name);
}

/** `cordon run --broker TOKEN@NAME`, where the name leads to a server of this test, whose CA the user's environment names. */
function inside(scene: Scene, hosts: Readonly<Record<string, number>>, script: string) {
  const ca = join(scene.home, 'company.pem');
  writeFileSync(ca, SERVERS.certificate);
  const net = Object.entries(hosts).flatMap(([name, port]) => ['--net', `${name}=127.0.0.1:${port}`]);
  const args = ['run', '--broker', `TOKEN@${NAME}`, ...net, '--', 'sh', '-c', script];
  return cordon(scene, args, { TOKEN: VALUE, NODE_EXTRA_CA_CERTS: ca });
}

describe.each(USERS)('a brokered launch, as %s', (user) => {
  test('clients use the value and never have it', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const scene = sceneOf(user);
    const url = `https://${NAME}`;
    const clients = {
      curl: `curl -sS -H "Authorization: Bearer $TOKEN" ${url}/curl`,
      'curl by name': `${PLAIN} curl -sS -u "x:$TOKEN" ${url}/curl-name`,
      node: `node -e 'fetch("${url}/node",{headers:{authorization:"Bearer "+process.env.TOKEN}}).then(r=>r.text()).then(t=>process.stdout.write(t))'`,
      python: `python3 -c 'import os,urllib.request as u; print(u.urlopen(u.Request("${url}/python",headers={"Authorization":"Bearer "+os.environ["TOKEN"]})).read().decode(),end="")'`,
      openssl: `printf 'GET /openssl HTTP/1.1\\r\\nHost: ${NAME}\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' "$TOKEN" | openssl s_client -quiet -verify_return_error -connect ${NAME}:443 -servername ${NAME} 2>/dev/null | tail -1`,
    };
    const ran = await inside(scene, { [NAME]: await server(seen) }, Object.values(clients).join('\n'));
    const stars = '*'.repeat(VALUE.length);
    expect(ran.stdout.split('\n'), ran.stderr).toEqual([
      `/curl Bearer ${stars}`,
      expect.stringMatching(/^\/curl-name Basic [A-Za-z0-9]*\*{20,}/),
      `/node Bearer ${stars}`,
      `/python Bearer ${stars}`,
      `/openssl Bearer ${stars}`,
      '',
    ]);
    expect(seen.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${VALUE}`,
      basic(`x:${VALUE}`),
      `Bearer ${VALUE}`,
      `Bearer ${VALUE}`,
      `Bearer ${VALUE}`,
    ]);
    const records = recordsOf(scene);
    expect(records).toMatchObject(
      Array(5).fill({ name: NAME, port: 443, verdict: 'allowed', credentials: ['TOKEN'], method: 'GET', status: 200 }),
    );
    expect(JSON.stringify(records)).not.toContain(VALUE);
  });

  test('the value is not sent elsewhere, whatever is tried', async () => {
    const [seen, elsewhere]: [http.IncomingHttpHeaders[], http.IncomingHttpHeaders[]] = [[], []];
    const scene = sceneOf(user);
    const script = `
curl -sS https://other.test/ -H "Authorization: Bearer $TOKEN" -k
curl -sS https://${NAME}/x/$TOKEN | tail -1
curl -sS https://${NAME}/ -d "token=$TOKEN" | tail -1
curl -sS https://${NAME}/ -H "Host: other.test" -H "Authorization: Bearer $TOKEN" | tail -1
curl -sS https://${NAME}/ -H "X-A: $(printf %s "$TOKEN" | base64 -w0)" | tail -1
curl -sS --connect-to other.test:443:${NAME}:443 https://other.test/ -k -H "Authorization: Bearer $TOKEN" || echo "no $?"
curl -sS http://${NAME}/ -H "Authorization: Bearer $TOKEN" | tail -1
`;
    const ran = await inside(
      scene,
      { [NAME]: await server(seen), 'other.test': await server(elsewhere, 'other.test') },
      script,
    );
    const rules = [...ran.stdout.matchAll(/\(rule: ([a-z]+)\)/g)].map(([, rule]) => rule);
    expect(rules.slice(0, 4), ran.stdout + ran.stderr).toEqual(['place', 'place', 'name', 'encoded']);
    expect(seen).toEqual([]);
    expect(JSON.stringify(elsewhere)).not.toContain(VALUE);
    expect(ran.stdout).not.toContain(VALUE);
  });
});

/** Looks for the value and for private keys in all that a process inside can read, itself included, and prints where. */
const SEARCH = `
import os, sys
# What every key on that curve begins with, backwards as the value is, so that this text itself is not found.
forms = [bytes.fromhex(sys.argv[1])[::-1], b'gQQABIwaw0GBHEwA94MSGqCCGEgA94MSGqyBGMBMAEgAHGIM']
def look(where, data, mine=False):
    for form in forms:
        if form[::-1] in data and not mine: print('FOUND', where)
for pid in filter(str.isdigit, os.listdir('/proc')):
    mine = int(pid) == os.getpid()
    for name in ('environ', 'cmdline'):
        try: look(f'/proc/{pid}/{name}', open(f'/proc/{pid}/{name}', 'rb').read(), mine and name == 'cmdline')
        except OSError: pass
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            path = f'/proc/{pid}/fd/{fd}'
            if os.path.isfile(path): look(path, open(path, 'rb').read(1 << 22))
    except OSError: pass
    if mine: continue
    try:
        with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as memory:
            for line in maps:
                start, end = (int(x, 16) for x in line.split()[0].split('-'))
                if 'r' not in line.split()[1] or end - start > 1 << 28: continue
                try:
                    memory.seek(start); look(f'/proc/{pid}/mem {line.split()[-1]}', memory.read(end - start))
                except (OSError, ValueError, OverflowError): pass
    except OSError: pass
for top in ('/run', '/tmp', '/var/tmp', '/dev/shm', '/etc/ssl', os.path.expanduser('~')):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.path.isfile(path) and os.path.getsize(path) < 1 << 22: look(path, open(path, 'rb').read())
            except OSError: pass
print('searched')
`;

describe.each(USERS)('all that can be read inside, as %s', (user) => {
  test('has the value where it is injected, and neither the value nor a key of the CA where it is brokered', async () => {
    const port = await server([]);
    const scene = sceneOf(user);
    const hex = Buffer.from(VALUE).toString('hex');
    // A process that used the placeholder stays while another one looks into it.
    const use = `(curl -sS -H "Authorization: Bearer $TOKEN" https://${NAME}/ >/dev/null; exec sleep 20) & sleep 20 & `;
    const search = `python3 - ${hex} <<'END'\n${SEARCH}\nEND\n`;
    const brokered = await inside(
      scene,
      { [NAME]: port },
      `${use}\nwait %1 2>/dev/null & ${search}kill %1 %2 2>/dev/null; true`,
    );
    expect(brokered.stdout, brokered.stderr).toBe('searched\n');
    const injected = await cordon(
      scene,
      ['run', '--credential', 'TOKEN=env://TOKEN', '--', 'sh', '-c', `sleep 20 & ${search}kill $!`],
      { TOKEN: VALUE },
    );
    expect(injected.stdout).toMatch(/FOUND \/proc\/\d+\/environ/);
    expect(injected.stdout).toMatch(/FOUND \/proc\/\d+\/mem/);
  });
});
