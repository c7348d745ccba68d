import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { cordon, recordsOf, sceneOf } from '../network/support.ts';
import { USERS } from '../support/users.ts';
import { bundledInto } from './bundled.ts';
import { connected, frontOf, held, hostOf } from './support.ts';

const NAME = 'db.example.test';
const PASSWORD = ['correct', 'horse', 'batterie', 'é'].join('-');
const SERVERS = newAuthority([hostOf('example.test')]);
const [VERSION = ''] = readdirSync('/usr/lib/postgresql').toSorted().reverse();
const programs = join('/usr/lib/postgresql', VERSION, 'bin');

/** A server refuses to be started by root. */
const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}

let folder = '';
let port = 0;
let server: ReturnType<typeof spawn>;

function ownFile(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid);
  return path;
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port: free } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

/** Users by the method that the server asks them with, and what only goes over TLS. */
const ACCESS = `
hostssl all scram 127.0.0.1/32 scram-sha-256
hostssl all clear 127.0.0.1/32 password
hostnossl all clear_plain 127.0.0.1/32 password
hostnossl all scram_plain 127.0.0.1/32 scram-sha-256
host all old 127.0.0.1/32 md5
local all all trust
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-pg-'));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const as = { ...owner, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'admin', '--no-sync'], {
    ...as,
    stdio: 'ignore',
  });
  const leaf = new Issuer(SERVERS).leafFor(NAME);
  const settings = [
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${folder}'`,
    'fsync = off',
    'ssl = on',
    `ssl_cert_file = '${ownFile('server.crt', leaf.cert)}'`,
    `ssl_key_file = '${ownFile('server.key', leaf.key)}'`,
    `hba_file = '${ownFile('hba', ACCESS)}'`,
  ];
  port = await freePort();
  server = spawn(
    join(programs, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      ...settings.flatMap((line) => ['-c', line.replaceAll(' = ', '=').replaceAll("'", '')]),
    ],
    { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await new Promise<void>((resolve, reject) => {
    let said = '';
    server.once('exit', () => reject(new Error(said)));
    server.stderr?.on('data', (text) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve();
    });
  });
  const users = ['scram', 'clear', 'clear_plain', 'scram_plain'].map(
    (user) => `CREATE ROLE ${user} LOGIN PASSWORD '${PASSWORD}';`,
  );
  const sql = `${users.join('\n')} SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD '${PASSWORD}';`;
  execFileSync('psql', ['-h', folder, '-p', String(port), '-U', 'admin', '-d', 'postgres', '-q'], {
    ...as,
    input: sql,
  });
}, 60_000);

afterAll(() => {
  server.kill('SIGQUIT');
  rmSync(folder, { recursive: true, force: true });
});

/** The command inside: psql, which knows no password, by the name that stands for the port. */
async function psql(
  user: string,
  { as = 'postgres', mode = 'require', value = PASSWORD, sql = 'SELECT current_user' } = {},
) {
  const bytes = Buffer.from(value).toString('latin1');
  const front = await frontOf(() => connected(port), {
    held: [held({ name: 'PGPASSWORD', value: bytes, hosts: [`${NAME}:5432`], as: [as] })],
    dialled: { name: NAME, port: 5432 },
    trust: [SERVERS.certificate],
  });
  const ca = join(mkdtempSync(join(tmpdir(), 'cordon-pg-ca-')), 'ca.pem');
  onTestFinished(() => rmSync(join(ca, '..'), { recursive: true }));
  writeFileSync(ca, front.ca);
  const where = `host=${NAME} hostaddr=127.0.0.1 port=${front.port} user=${user} dbname=postgres sslmode=${mode} sslrootcert=${ca}`;
  const env = { PATH: '/usr/bin:/bin', HOME: userInfo().homedir, PGCONNECT_TIMEOUT: '20' };
  const child = spawn('psql', ['-X', '-w', '-A', '-t', '-d', where, '-c', sql], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, stdout: stdout.trim(), stderr, records: front.records };
}

describe('a PostgreSQL server behind the broker', () => {
  it.each([
    ['scram', { as: 'postgres' }],
    ['clear', { as: 'postgres' }],
    ['old', { as: 'postgres' }],
    ['scram_plain', { as: 'postgres plain' }],
    ['old', { as: 'postgres plain' }],
  ])('logs %s in, who has no password (%o)', async (user, how) => {
    const { code, stdout, stderr, records } = await psql(user, how);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: user, stderr: '' });
    expect(records).toMatchObject([{ host: NAME, port: 5432, credentials: ['PGPASSWORD'], verdict: 'swapped' }]);
  });

  it.each(['disable', 'prefer', 'verify-full'])('takes a client with sslmode=%s', async (mode) => {
    expect(await psql('scram', { mode })).toMatchObject({ code: 0, stdout: 'scram' });
  });

  it('gives a long answer whole', async () => {
    const { stdout } = await psql('scram', {
      sql: "SELECT sum(length(repeat('x', 1000))) FROM generate_series(1, 5000)",
    });
    expect(stdout).toBe('5000000');
  });

  it("passes the server's own refusal on, without the password", async () => {
    const { code, stderr, records } = await psql('scram', { value: 'not-the-password' });
    expect(code).toBe(2);
    expect(stderr).toContain('password authentication failed for user "scram"');
    expect(stderr).not.toContain('not-the-password');
    expect(records).toMatchObject([{ verdict: 'refused', rule: 'server' }]);
  });

  it('never sends the password itself without TLS', async () => {
    const { code, stderr } = await psql('clear_plain', { as: 'postgres plain' });
    expect(code).toBe(2);
    expect(stderr).toContain('PGPASSWORD was not used');
    expect(stderr).toContain('there is no TLS');
  });

  it('says nothing to a server that has no TLS, or the wrong name', async () => {
    const other = newAuthority([hostOf('example.test')]);
    const front = await frontOf(() => connected(port), {
      held: [held({ name: 'PGPASSWORD', value: PASSWORD, hosts: [`${NAME}:5432`], as: ['postgres'] })],
      dialled: { name: NAME, port: 5432 },
      trust: [other.certificate],
    });
    const { status, stderr } = await new Promise<{ status: number | null; stderr: string }>((resolve) => {
      const child = spawn('psql', [
        '-X',
        '-w',
        '-d',
        `host=127.0.0.1 port=${front.port} user=scram dbname=postgres sslmode=disable`,
        '-c',
        'SELECT 1',
      ]);
      let said = '';
      child.stderr.on('data', (text) => (said += text));
      child.once('close', (code) => resolve({ status: code, stderr: said }));
    });
    expect(status).toBe(2);
    expect(stderr).toContain('PGPASSWORD was not used');
    expect(front.records).toMatchObject([{ verdict: 'failed' }]);
  });

  it('cancels a query by the request that clients send for it', async () => {
    const front = await frontOf(() => connected(port), {
      held: [
        held({
          name: 'PGPASSWORD',
          value: Buffer.from(PASSWORD).toString('latin1'),
          hosts: [`${NAME}:5432`],
          as: ['postgres'],
        }),
      ],
      dialled: { name: NAME, port: 5432 },
      trust: [SERVERS.certificate],
    });
    const script = `psql -X -w -d 'host=127.0.0.1 port=${front.port} user=scram dbname=postgres sslmode=require' -c '\\! echo ready' -c 'SELECT pg_sleep(60)'`;
    const child = spawn('/bin/sh', ['-c', `exec ${script}`], { env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const busy = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";
    const asked = ['-h', folder, '-p', String(port), '-U', 'admin', '-d', 'postgres', '-Atc', busy];
    const count = async () => (await promisify(execFile)('psql', asked)).stdout.trim();
    let hasEnded = false;
    child.once('exit', () => {
      hasEnded = true;
    });
    while (!hasEnded && (await count()) !== '1');
    expect(hasEnded, said).toBe(false);
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(said).toContain('canceling statement due to user request');
  });

  it('is nothing for whoever speaks another protocol', async () => {
    const front = await frontOf(() => connected(port), {
      held: [held({ name: 'PGPASSWORD', value: PASSWORD, hosts: [`${NAME}:5432`], as: ['postgres'] })],
      dialled: { name: NAME, port: 5432 },
      trust: [SERVERS.certificate],
    });
    const socket = await connected(front.port);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    const said = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    expect(said).toContain('this is not the protocol of PostgreSQL');
    expect(front.records).toMatchObject([{ verdict: 'refused', rule: 'protocol' }]);
  });
});

describe.each(USERS)('a launch with a password of PostgreSQL, as %s', (user) => {
  it('queries, writes and is cancelled with psql, which has a placeholder', async () => {
    const scene = sceneOf(user);
    const ca = join(scene.home, 'company.pem');
    writeFileSync(ca, SERVERS.certificate);
    const where = `host=${NAME} user=scram dbname=postgres sslmode=verify-full sslrootcert=$SSL_CERT_FILE`;
    const script = `
echo "$PGPASSWORD"
psql -X -w -At -d "${where}" -c 'SELECT current_user' -c 'CREATE TEMP TABLE t (a int)' -c 'COPY t FROM STDIN' -c 'SELECT sum(a) FROM t' <<END
1
41
END
psql -X -w -At -d "${where}" -c "SET statement_timeout = '1s'" -c 'SELECT pg_sleep(60)'
psql -X -w -At -d "${where} port=${port}" -c 'SELECT 1' || echo no other port
PGPASSWORD=wrong psql -X -w -At -d "${where}" -c 'SELECT 2'
`;
    const net = ['--net', `${NAME}:5432=127.0.0.1:${port}`];
    const ran = await cordon(scene, ['run', '--broker', `PGPASSWORD@${NAME}:5432`, ...net, '--', 'sh', '-c', script], {
      PGPASSWORD: PASSWORD,
      NODE_EXTRA_CA_CERTS: ca,
    });
    const [placeholder = '', ...lines] = ran.stdout.trim().split('\n');
    expect(placeholder).toMatch(/^cordon_pgpassword_\w{32}$/);
    // The broker logs in, whatever password the command says.
    expect(lines, ran.stderr).toEqual(['scram', 'CREATE TABLE', 'COPY 2', '42', 'SET', 'no other port', '2']);
    expect(ran.stderr).toContain('canceling statement due to statement timeout');
    expect(ran.stdout + ran.stderr).not.toContain(PASSWORD);
    expect(recordsOf(scene).filter(({ via }) => via === 'broker')).toMatchObject(
      Array(3).fill({ name: NAME, port: 5432, verdict: 'allowed', credentials: ['PGPASSWORD'] }),
    );
  });

  it.each(['scram', 'old'])('asks and cancels with node-postgres, as the role %s', async (role) => {
    const scene = sceneOf(user);
    const ca = join(scene.home, 'company.pem');
    writeFileSync(ca, SERVERS.certificate);
    const program = await bundledInto(scene.home, 'client-of-postgres.mjs');
    const said = ['--net', `${NAME}:5432=127.0.0.1:${port}`, '--read', program, '--set', `DATABASE_HOST=${NAME}`];
    const args = ['run', '--broker', `PGPASSWORD@${NAME}:5432`, ...said, '--set', `DATABASE_USER=${role}`];
    const ran = await cordon(scene, [...args, '--', 'node', program], {
      PGPASSWORD: PASSWORD,
      NODE_EXTRA_CA_CERTS: ca,
    });
    expect(ran.stdout, ran.stderr).toBe(`${role} 42\n57014\n`);
  });
});
