import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { readRecords } from '../../src/network/read-records.ts';
import type { NetworkRecord } from '../../src/network/records.ts';
import { cordonProgram, freshHome, type Ran } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, type User } from '../support/users.ts';

export interface Scene {
  readonly user: User;
  readonly home: string;
}

export const sceneOf = (user: User): Scene => ({ user, home: freshHome(user) });

/** Runs `cordon` as this user without blocking: what it talks to lives in this process. */
export function cordon({ user, home }: Scene, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(cordonProgram(), args, {
      ...identityOf(user),
      cwd: home,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text;
      });
    child.on('close', (code) => resolve({ code, ...said }));
  });
}

/** `cordon run --net … -- sh -c SCRIPT`. */
export const inside = (scene: Scene, hosts: readonly string[], script: string, env?: Record<string, string>) =>
  cordon(scene, ['run', '--fs', 'all', ...hosts.flatMap((host) => ['--net', host]), '--', 'sh', '-c', script], env);

export const recordsOf = ({ home }: Scene): NetworkRecord[] => readRecords(join(home, '.local/state/cordon'));

const open: net.Server[] = [];

export async function listening<Kind extends net.Server>(server: Kind): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as net.AddressInfo).port;
}

export function closeAll(): void {
  for (const server of open.splice(0)) {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  }
}

/** Says what it was asked for. */
export const echo = () =>
  http.createServer((request, response) => response.end(`${request.headers.host} ${request.url}\n`));

let certificate: { readonly key: string; readonly cert: string } | undefined;

/** For `*.example.com` and `example.com`, by an authority that nobody knows. */
export function certificateForTests(): { readonly key: string; readonly cert: string } {
  if (certificate === undefined) {
    const folder = openFolder('certificate');
    const names = 'subjectAltName=DNS:*.example.com,DNS:example.com';
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync(
      'openssl',
      [
        'req',
        ...options,
        '-subj',
        '/CN=example.com',
        '-addext',
        names,
        '-keyout',
        `${folder}/key`,
        '-out',
        `${folder}/cert`,
      ],
      { stdio: 'ignore' },
    );
    certificate = { key: readFileSync(`${folder}/key`, 'utf8'), cert: readFileSync(`${folder}/cert`, 'utf8') };
    rmSync(folder, { recursive: true, force: true });
  }
  return certificate;
}

export const tlsEcho = () =>
  tls.createServer(certificateForTests(), (socket) => socket.on('error', () => socket.destroy()).pipe(socket));

/** Stands in for all of the internet: whatever it is asked for, it says who was asked for. */
export async function internet(): Promise<Record<string, string>> {
  const proxy = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (head) => {
      const name = /^CONNECT ([^ :]+)/.exec(head.toString('latin1'))?.[1];
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Length: ${String(name).length + 1}\r\nConnection: close\r\n\r\n${name}\n`,
        ),
      );
    });
  });
  return { HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy)}` };
}

/** The one whose records go to this home: its parent is the launcher, which was started there. */
export function processOutside(home: string): number {
  const found = readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('network.cjs')) return false;
      const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
      return readlinkSync(`/proc/${parent}/cwd`) === home;
    } catch {
      return false;
    }
  });
  if (found.length !== 1) throw new Error(`${found.length} processes outside, not one`);
  return Number(found[0]);
}
