import dgram from 'node:dgram';
import { closeSync, readFileSync, statSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import type { Broker, Interceptor } from '../broker/broker.ts';
import type { Terminal } from '../broker/settings.ts';
import type { Confirm } from '../broker/token-request.ts';
import { type Ask, Gate } from './gate.ts';
import { Names, writtenNames } from './names.ts';
import { proxyServer } from './proxy.ts';
import { Resolver, serveUdp, tcpResolver } from './resolver.ts';
import { policyOf, type Task, USUAL_LIMITS } from './task.ts';

/**
 * The process outside: it holds the listeners of one sandbox, and lets through what the policy of that launch names. Descriptors: 3 what
 * it is told, 4 the supervisor, 5 and 6 the resolver, 7 the proxy, from 8 on the ports, and last the socket of an ssh-agent if there is one. A
 * connection waits while it starts: what few launches need is loaded when they do.
 */
const FD = { task: 3, supervisor: 4, udp: 5, tcp: 6, proxy: 7, ports: 8 } as const;

async function main(): Promise<void> {
  const { broker: settings, ...task } = told();
  const policy = policyOf(task);
  const limits = { ...USUAL_LIMITS, ...task.limits };
  const supervisor = new net.Socket({ fd: FD.supervisor, allowHalfOpen: true });
  const tell: Tell = (word, text) => supervisor.write(`${word} ${text.replace(/[\r\n]+/g, ' ')}\n`);
  if (settings !== undefined && !isKept()) {
    supervisor.end(`s ${UNKEPT}\n`, () => process.exit(1));
    return;
  }
  const names = new Names(limits.names, writtenNames(policy));
  const interceptors: Interceptor[] = [];
  const gate = new Gate({
    task,
    launch: process.argv[2] ?? '',
    policy,
    limits,
    interceptors,
    ask: asker(task, process.argv[2] ?? '', limits.askMs, (text) => tell('s', text)),
    refused: (host) => tell('r', host),
  });
  let broker: Broker | undefined;
  if (settings !== undefined) {
    const [{ Broker }, { rememberPlaceholders }] = await Promise.all([
      import('../broker/broker.ts'),
      import('../broker/known-placeholders.ts'),
    ]);
    const { state } = task;
    broker = new Broker({
      ...settings,
      locks: state === undefined ? undefined : join(state, 'locks'),
      ...(state === undefined ? {} : { remember: (made) => rememberPlaceholders(state, made) }),
      confirm: await confirmerOf(settings.terminal, task, process.argv[2] ?? '', limits.askMs),
      say: (text) => tell('s', text),
      record: (entry) => gate.brokered(entry),
    });
    interceptors.push(broker);
  }
  const resolver = new Resolver(gate, names);
  const udp = dgram.createSocket('udp4');
  serveUdp(udp, resolver);
  udp.bind({ fd: FD.udp });
  tcpResolver(resolver, limits.handshakeMs).listen({ fd: FD.tcp });
  proxyServer(gate, limits).listen({ fd: FD.proxy });
  task.ports.forEach((port, i) => {
    portServer(port, gate, names, limits.connections).listen({ fd: FD.ports + i });
  });
  const { ssh } = task;
  if (ssh !== undefined) {
    const { serveSshAgent } = await import('../broker/ssh-agent.ts');
    const server = net.createServer((client) => serveSshAgent(client, ssh, (entry) => gate.brokered(entry)));
    server.maxConnections = limits.connections;
    server.listen({ fd: FD.ports + task.ports.length });
  }
  let isLeaving = false;
  const leave = () => {
    if (!isLeaving) void end({ task, gate, broker, supervisor, tell });
    isLeaving = true;
  };
  supervisor.on('error', leave);
  supervisor.on('end', leave);
  // The launcher was killed, or somebody ends us.
  process.on('SIGTERM', leave);
  supervisor.resume();
}

const UNKEPT =
  'brokered credentials are not sent: any process of this user could read them, since the launcher may not trace what it starts here ' +
  '(kernel.yama.ptrace_scope is 2 or 3, a seccomp filter forbids it, or a debugger is at work)';

/** The bytes are overwritten; what becomes of the text lives as long as this process. */
function told(): Task {
  const bytes = readFileSync(FD.task);
  closeSync(FD.task);
  const task = JSON.parse(bytes.toString('utf8')) as Task;
  bytes.fill(0);
  return task;
}

type Tell = (word: 'r' | 's', text: string) => void;

interface Ending {
  readonly task: Task;
  readonly gate: Gate;
  readonly broker: Broker | undefined;
  readonly supervisor: net.Socket;
  readonly tell: Tell;
}

/** The command is gone, or its launcher: a renewal that is under way is written down before this process is gone too. */
async function end({ task: { mode }, gate, broker, supervisor, tell }: Ending): Promise<void> {
  for (const line of mode === 'learn' ? await learnedLines(gate) : []) tell('s', line);
  // The supervisor waits as long as it hears something.
  const waiting = setInterval(() => supervisor.write('waiting\n'), LAST_MS);
  await broker?.settled();
  clearInterval(waiting);
  await gate.settled(LAST_MS);
  broker?.end();
  supervisor.end(() => process.exit(0));
}

const LAST_MS = 1000;

/** Loaded only where there is someone to be asked. */
async function confirmerOf(
  terminal: Terminal | undefined,
  { state }: Task,
  launch: string,
  ms: number,
): Promise<Confirm> {
  if (terminal === undefined) return () => Promise.resolve(false);
  const { confirmer } = await import('./confirm.ts');
  return confirmer({ terminal, state, launch, ms });
}

async function learnedLines(gate: Gate): Promise<string[]> {
  const { foldedHosts } = await import('./learn.ts');
  const entries = foldedHosts([...gate.learned.keys()]);
  if (entries.length === 0) return ['no host was asked for: --net off would do'];
  return [
    `the same with a list: ${entries.map((entry) => `--net ${entry}`).join(' ')}`,
    `in a profile: "network": { "allow": ${JSON.stringify(entries)} }`,
  ];
}

/** One question for all that wait for the same host; a word for the whole launch is kept. */
function asker(task: Task, launch: string, ms: number, tell: (text: string) => void): Ask {
  const allowed = new Set<string>();
  const waiting = new Map<string, Promise<boolean>>();
  const question = async (state: string, name: string, port: number) => {
    const { ask } = await import('./pending.ts');
    const host = `${name}:${port}`;
    const { id, word } = ask(state, { launch, subject: task.subject, policy: task.policy, name, port }, ms);
    tell(`${host} is asked for: \`cordon net allow ${id}\` lets it through; refused in ${Math.round(ms / 1000)} s`);
    const said = await word;
    waiting.delete(host);
    if (said === 'launch') allowed.add(host);
    return said !== 'no';
  };
  return (name, port) => {
    const host = `${name}:${port}`;
    if (task.state === undefined || allowed.has(host)) return Promise.resolve(allowed.has(host));
    const answer = waiting.get(host) ?? question(task.state, name, port);
    waiting.set(host, answer);
    return answer;
  };
}

/** Which address was dialled says which name was meant. */
function portServer(port: number, gate: Gate, names: Names, connections: number): net.Server {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    const address = client.localAddress ?? '';
    const isOwn = address.startsWith('127.');
    const name = names.nameOf(address) ?? (isOwn ? undefined : address);
    void arrive(client, name, port, gate).catch(() => client.destroy());
  });
  server.maxConnections = connections;
  return server;
}

async function arrive(client: net.Socket, name: string | undefined, port: number, gate: Gate): Promise<void> {
  if (name === undefined) {
    const loopback = gate.loopback(port);
    if (loopback === undefined) throw gate.refuse('127.0.0.1', port, 'name', 'no name leads there');
    return gate.join(client, loopback, 'name');
  }
  return gate.join(client, await gate.admit(name, port, 'name'), 'name');
}

/**
 * Whether other processes of the user are kept from reading this one: the launcher does that before Node begins, unless it may not trace.
 * The kernel gives the files of such a process to root; what belongs to root anyway can't be told apart, and needs no telling.
 */
function isKept(): boolean {
  const own = process.getuid?.();
  return own === 0 || statSync('/proc/self/mem').uid !== own;
}

void main();
