import { closeSync, openSync, readSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import type { Isolation } from '../../policy/policy.ts';
import { type Engine, guardOptions, holdsTogether } from './engine.ts';

/** A place of this machine that is there inside too. */
export interface Bind {
  readonly path: string;
  /** Where it is inside, when not under its own path. */
  readonly target?: string;
  readonly writable: boolean;
}

export const pathInside = ({ path, target = path }: Bind) => target;

export interface ContainerSettings {
  readonly image: string;
  readonly name: string;
  /** By lot: what the folder inside is called by in which the next two are, and the word with which the launcher asks for its plan. */
  readonly inside: string;
  /** The launcher's file, and the folder with the socket on which it asks for its plan. */
  readonly launcher: string;
  readonly talk: string;
  readonly binds: readonly Bind[];
  readonly workdir: string | undefined;
  /** A folder in memory, where the image has no home of this user. */
  readonly home: string | undefined;
  readonly network: 'on' | 'off';
  readonly terminal: boolean;
  readonly isolation: Isolation;
  /** Of all processes together. */
  readonly limits?: { readonly memory: number; readonly processes: number } | undefined;
  /** Bytes of each folder in memory. */
  readonly temporary?: number | undefined;
}

/**
 * Engines follow links of the image when they mount, so a name that an image can know may lead to a program of its own. Nobody can
 * have put anything at this one, and above it is only the root.
 */
export const folderInside = (lot: string) => `/.cordon-${lot}`;

export const drawLot = () => randomBytes(16).toString('hex');

/** From where node:crypto has them, which takes longer to load than the rest of a launch. */
function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const source = openSync('/dev/urandom', 'r');
  const got = readSync(source, bytes);
  closeSync(source);
  if (got !== count) throw new CordonError('launch', '/dev/urandom gives no random bytes');
  return bytes;
}

/** In the folder of the conversation. */
export const SOCKET = 'socket';
export const LISTENERS = 'listeners';
/** Where either is inside. */
export const talkInside = (inside: string, name: string) => `${inside}/talk/${name}`;
const MOST_PROCESSES = 4096;

/**
 * How a container is started for one command. Nothing in it is a secret or an argument of the command: engines keep what they are told,
 * and show it to whoever asks. Nothing of the host is inside but what the policy names.
 */
export function runArguments(engine: Engine, settings: ContainerSettings): string[] {
  const { image, name, binds, workdir, network, terminal } = settings;
  const inside = folderInside(settings.inside);
  const [launcher, talk] = [`${inside}/cordon-launch`, `${inside}/talk`];
  return [
    ...['run', '--rm', '--name', name, '--interactive', ...(terminal ? ['--tty'] : [])],
    ...['--log-driver', 'none', '--read-only', '--no-healthcheck'],
    ...limitsTogether(engine, settings),
    ...privileges(engine, settings),
    ...(network === 'off' ? ['--network', 'none'] : []),
    ...(engine.name === 'podman' ? ['--http-proxy=false', '--systemd=false', '--image-volume=ignore'] : []),
    ...scratch(engine, settings),
    ...[
      { path: settings.launcher, target: launcher },
      { path: settings.talk, target: talk },
    ].flatMap(({ path, target }) => ['--mount', mountText(path, target, false)]),
    ...binds.flatMap((bind) => ['--mount', mountText(bind.path, pathInside(bind), bind.writable)]),
    ...(workdir === undefined ? [] : ['--workdir', workdir]),
    ...['--entrypoint', launcher, image],
    ...[`--ask-at=${talkInside(inside, SOCKET)}`, `--ask-as=${settings.inside}`],
  ];
}

function limitsTogether(engine: Engine, { limits }: ContainerSettings): string[] {
  if (!holdsTogether(engine)) return [];
  return [
    ...['--pids-limit', String(limits?.processes ?? MOST_PROCESSES)],
    ...(limits === undefined ? [] : ['--memory', `${limits.memory}b`]),
  ];
}

/** The caller's own ids, so that what is written belongs to the caller. */
function privileges({ name, daemon }: Engine, { isolation }: ContainerSettings): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const user = name === 'podman' && uid !== 0 ? ['--userns', 'keep-id'] : ['--user', `${uid}:${gid}`];
  const needed =
    isolation === 'filter'
      ? []
      : [
          // Root can't be mapped in a user namespace without it. The launcher gives it up before the command starts.
          ...(uid === 0 ? ['--cap-add', 'SETFCAP'] : []),
          // Docker's own filter refuses what a barrier is made with. Behind the barrier the command has Cordon's.
          ...(daemon === 'podman'
            ? ['--security-opt', 'unmask=ALL']
            : ['--security-opt', 'systempaths=unconfined', '--security-opt', 'seccomp=unconfined']),
          ...guardOptions().flatMap((option) => ['--security-opt', option]),
        ];
  return [...user, '--cap-drop', 'ALL', ...needed, '--security-opt', 'no-new-privileges'];
}

/** Folders that programs expect to be theirs, empty and in memory. */
function scratch({ name }: Engine, { home, temporary }: ContainerSettings): string[] {
  const size = temporary === undefined ? '' : `,size=${temporary}`;
  const options = `rw,exec,nosuid,nodev,mode=1777${size}${name === 'podman' ? ',notmpcopyup' : ''}`;
  const folders = ['/tmp', '/var/tmp', '/run', ...(home === undefined ? [] : [home])];
  return folders.flatMap((folder) => ['--tmpfs', `${folder}:${options}`]);
}

function mountText(source: string, target: string, writable: boolean): string {
  const odd = [source, target].find((path) => /[,"\n\r]/.test(path));
  if (odd !== undefined)
    throw new CordonError('launch', `${JSON.stringify(odd)} cannot be shown in a container`, {
      hint: 'engines take no comma, quote or line break in a path; work in a folder without',
    });
  return `type=bind,source=${source},target=${target}${writable ? '' : ',readonly'}`;
}
