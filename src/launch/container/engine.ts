import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { workingFolder } from '../../host/folders.ts';
import { findOwnProgram } from '../../host/own-program.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { ContainerTarget, EngineName } from '../../policy/container-target.ts';
import { helperEnvironment } from '../run-helper.ts';

/** A program that starts containers, and what it may know of the caller's environment. */
export interface Engine {
  readonly name: EngineName;
  /** Whose daemon is behind it: docker's client speaks to podman's too. */
  readonly daemon: EngineName;
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How to find the engine, its storage and its registries; the command's variables are none of its business. */
const LENT = ['DOCKER_*', 'CONTAINER_*', 'CONTAINERS_*', 'XDG_*', 'REGISTRY_AUTH_FILE', 'DBUS_SESSION_BUS_ADDRESS'];

function findEngine(name: EngineName, env: ParentEnv): Engine {
  try {
    const workdirs = [workingFolder()];
    const program = textOfBytes(findOwnProgram(bytesOfText(name), env, workdirs)) ?? name;
    return { name, daemon: name, program, env: helperEnvironment(LENT, env, workdirs) };
  } catch (error) {
    if (!(error instanceof CordonError) || error.kind !== 'not-found') throw error;
    throw new CordonError('not-found', `there is no ${name} on this machine`, {
      hint: `install it (on Debian: apt install ${name === 'docker' ? 'docker.io' : 'podman'}), or use another engine`,
      cause: error,
    });
  }
}

/** The engine that an image is asked of, or that a running container belongs to. */
export async function engineOf(target: ContainerTarget, env: ParentEnv): Promise<Engine> {
  if (target.kind === 'image') return withDaemon(findEngine(target.engine, env));
  const engines = (['podman', 'docker'] as const).flatMap((name) => ifFound(name, env));
  for (const engine of engines) {
    const { code, stdout } = await ask(engine, ['container', 'inspect', '--format', '{{.State.Running}}', target.name]);
    if (code === 0 && stdout.trim() === 'true') return engine;
  }
  throw new CordonError('not-found', `no running container is called ${target.name}`, {
    hint: 'podman ps and docker ps show what runs; --in podman:IMAGE starts one',
  });
}

/** Asked of its socket, since the client takes seconds to say it; a daemon that is reached in another way is docker's. */
async function withDaemon(engine: Engine): Promise<Engine> {
  const [, socketPath] = /^unix:\/\/(\/.*)$/.exec(engine.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock') ?? [];
  if (engine.name === 'podman' || socketPath === undefined) return engine;
  const { get } = await import('node:http');
  return new Promise((resolve) => {
    const asked = get({ socketPath, path: '/_ping', timeout: 2000, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.headers['libpod-api-version'] === undefined ? engine : { ...engine, daemon: 'podman' });
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(engine)); // The client will say what is wrong.
  });
}

function ifFound(name: EngineName, env: ParentEnv): Engine[] {
  try {
    return [findEngine(name, env)];
  } catch (error) {
    if (error instanceof CordonError && error.kind === 'not-found') return [];
    throw error;
  }
}

/** Variables that an image or a container brings, as its configuration has them; nothing is started. */
export async function configuredEnv(engine: Engine, target: ContainerTarget): Promise<Buffer> {
  const words = [target.kind, 'inspect', '--format', '{{json .Config.Env}}', target.name];
  const { code, stdout, stderr } = await ask(engine, words);
  if (code !== 0)
    throw new CordonError('not-found', `${engine.name} knows nothing of ${target.name}: ${lastLine(stderr)}`, {
      hint: `${engine.name} pull ${target.name} gets an image`,
    });
  const entries = (JSON.parse(stdout) ?? []) as readonly string[];
  return Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'utf8');
}

/** What is mounted in a container that the image asked for, not the caller. */
export async function volumesOf(engine: Engine, container: string): Promise<string[]> {
  const { code, stdout, stderr } = await ask(engine, [
    'container',
    'inspect',
    '--format',
    '{{json .Mounts}}',
    container,
  ]);
  if (code !== 0)
    throw new CordonError('launch', `${engine.name} does not say what is mounted in a container: ${lastLine(stderr)}`);
  const mounts = (JSON.parse(stdout) ?? []) as readonly { readonly Type: string; readonly Destination: string }[];
  return mounts.filter(({ Type }) => Type === 'volume').map(({ Destination }) => Destination);
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function ask({ program, env }: Engine, args: readonly string[]): Promise<Answer> {
  const child = spawn(program, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text.stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text.stderr += part;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 255, ...text }));
  });
}

/** Rootless podman holds no limits in control groups of version 1, and would say so each time. */
export const holdsTogether = ({ name }: Engine) =>
  name === 'docker' || process.getuid?.() === 0 || existsSync('/sys/fs/cgroup/cgroup.controllers');

/** What of the kernel's guards stands in the way of a barrier inside, which confines more than they do. */
export function guardOptions(): string[] {
  const isOn = (file: string, word: string) => existsSync(file) && readFileSync(file, 'utf8').trim() === word;
  return [
    ...(isOn('/sys/module/apparmor/parameters/enabled', 'Y') ? ['apparmor=unconfined'] : []),
    ...(isOn('/sys/fs/selinux/enforce', '1') ? ['label=disable'] : []),
  ];
}
