import { lstatSync } from 'node:fs';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { requireFolder } from '../host/folders.ts';
import { currentEnvironment, ParentEnv } from '../host/parent-env.ts';
import { type Launched, type LaunchOptions, launch } from '../launch/launch.ts';
import { type Prepared, prepare } from '../launch/prepare.ts';
import { type ImageTarget, readTarget } from '../policy/container-target.ts';
import { NETWORK_OFF, NETWORK_ON } from '../policy/network/rules.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { isSandboxEnv } from './filter.ts';
import type { SandboxMount, SandboxSpec } from './spec.ts';

/** A spec as a launch policy: exactly its environment, its workspace and mounts, and the barrier, which never degrades. */
export function specPolicy(spec: SandboxSpec): Policy {
  refuseForeign(spec);
  return policyOf(spec);
}

function policyOf(spec: SandboxSpec): Policy {
  const origin = `sandbox spec ${spec.hash.slice(0, 19)}`;
  const targets = (access: SandboxMount['access']) =>
    spec.mounts.filter((mount) => mount.access === access).map(({ target }) => target);
  return {
    ...DEFAULT_POLICY,
    origin,
    base: { preset: 'none', origin },
    set: Object.entries(spec.env).map(([name, value]) => ({
      name: bytesOfText(name),
      value: bytesOfText(value),
      origin,
    })),
    filesystem: {
      ...DEFAULT_POLICY.filesystem,
      preset: 'workspace',
      explicit: true,
      read: targets('read-only'),
      write: targets('read-write'),
      workspace: { folder: spec.workdir, mode: 'real' },
    },
    network: spec.network === 'off' ? NETWORK_OFF : NETWORK_ON,
    isolation: 'barrier',
  };
}

/** decide → seal → plan for a spec on this machine. Nothing but the spec is asked: not even PATH of the caller. */
export function prepareSpec(spec: SandboxSpec): Prepared {
  const policy = specPolicy(spec);
  const argv = argvOf(spec);
  requireFolder(spec.workdir, 'make it, or name one that is there with SandboxSpecBuilder.workdir()');
  return prepare({
    policy,
    env: ParentEnv.fromRecord(spec.env),
    argv,
    workdir: spec.workdir,
    record: false,
  });
}

/** Starts what a spec says. */
export function launchSpec(spec: SandboxSpec, options: LaunchOptions = {}): Launched {
  return launch(prepareSpec(spec).plan, options);
}

function argvOf({ command }: SandboxSpec) {
  const [program, ...args] = command.map(bytesOfText);
  if (program === undefined) throw cannotLaunch('it has no command', 'name one: command([...])');
  return [program, ...args] as const;
}

/** Starts what a spec says in a container of its image. The engine gets to know nothing of its environment and command. */
export async function launchSpecIn(
  spec: SandboxSpec,
  engine: 'podman' | 'docker',
  options: LaunchOptions = {},
): Promise<Launched> {
  refuseOtherEnvironment(spec);
  const target = imageOf(spec, engine);
  const mounts = spec.mounts.map(mountOf(spec));
  const argv = argvOf(spec);
  if (!mounts.some(({ target: place }) => isIn(spec.workdir, place)))
    requireFolder(spec.workdir, 'make it, or mount a folder there with SandboxSpecBuilder.mount()');
  const { launchIn } = await import('../launch/container/launch-in.ts');
  const env = ParentEnv.fromRecord(currentEnvironment());
  const parent = ParentEnv.fromRecord({});
  const request = {
    policy: policyInside(spec),
    env,
    parent,
    argv,
    workdir: spec.workdir,
    mounts,
    target,
    record: false,
  };
  return launchIn(request, options);
}

/** Exactly the environment of the spec; only where to find programs is the image's to say, if the spec does not. */
function policyInside(spec: SandboxSpec): Policy {
  const policy = policyOf(spec);
  const { filesystem, origin } = policy;
  const isMounted = spec.mounts.some(({ target }) => isIn(spec.workdir, target));
  return {
    ...policy,
    allow: Object.hasOwn(spec.env, 'PATH') ? [] : [{ pattern: Pattern.exactly(bytesOfText('PATH')), origin }],
    filesystem: {
      ...filesystem,
      ...{ preset: isMounted ? 'minimal' : 'workspace', read: [], write: [] },
      workspace: isMounted ? { mode: 'real' } : filesystem.workspace,
    },
  };
}

function imageOf({ image }: SandboxSpec, engine: string): ImageTarget {
  if (image === undefined) throw cannotLaunch('it names no image', 'name one: image(...); launchSpec needs none');
  if (engine !== 'podman' && engine !== 'docker')
    throw new CordonError('spec', 'launchSpecIn does not know this engine', { hint: "it takes 'podman' or 'docker'" });
  const target = readTarget(`${engine}:${image}`);
  if (target?.kind !== 'image') throw cannotLaunch('its image has no name that engines know', 'write it like node:20');
  return target;
}

const mountOf =
  ({ workdir }: SandboxSpec) =>
  ({ source, target, access }: SandboxMount) => {
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined)
      throw cannotLaunch(`${source} is not there`, 'mount what is on this machine');
    if ([source, target].some((path) => /^\/+$/.test(path)))
      throw cannotLaunch('it mounts the whole of /', 'mount the folders that are needed');
    const writable = access === 'read-write';
    return { path: source, target, writable, isWorkspace: writable && isIn(workdir, target) };
  };

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** What this machine's barrier can't give as it is written is refused, not approximated. */
function refuseForeign({ image, mounts, ...spec }: SandboxSpec): void {
  refuseOtherEnvironment(spec);
  if (image !== undefined)
    throw cannotLaunch('it names an image', 'leave image() out to run on this system, or start it with launchSpecIn');
  if (mounts.some(({ source, target }) => source !== target))
    throw cannotLaunch('it mounts a folder under another path', 'use the same path inside: source and target alike');
}

function refuseOtherEnvironment({ env }: Pick<SandboxSpec, 'env'>): void {
  if (!isSandboxEnv(env))
    throw cannotLaunch('its environment was not made by filterSandboxEnv', 'build it with SandboxSpecBuilder');
}

const cannotLaunch = (why: string, hint: string) =>
  new CordonError('spec', `this sandbox spec cannot be launched here: ${why}`, { where: 'SandboxSpec', hint });
