import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { requireFolder } from '../host/folders.ts';
import { ParentEnv } from '../host/parent-env.ts';
import { type Launched, type LaunchOptions, launch } from '../launch/launch.ts';
import { type Prepared, prepare } from '../launch/prepare.ts';
import { NETWORK_OFF, NETWORK_ON } from '../policy/network/rules.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { isSandboxEnv } from './filter.ts';
import type { SandboxMount, SandboxSpec } from './spec.ts';

/** A spec as a launch policy: exactly its environment, its workspace and mounts, and the barrier, which never degrades. */
export function specPolicy(spec: SandboxSpec): Policy {
  refuseForeign(spec);
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
  const [program, ...args] = spec.command.map(bytesOfText);
  if (program === undefined) throw cannotLaunch('it has no command', 'name one: command([...])');
  requireFolder(spec.workdir, 'make it, or name one that is there with SandboxSpecBuilder.workdir()');
  return prepare({
    policy,
    env: ParentEnv.fromRecord(spec.env),
    argv: [program, ...args],
    workdir: spec.workdir,
    record: false,
  });
}

/** Starts what a spec says. */
export function launchSpec(spec: SandboxSpec, options: LaunchOptions = {}): Launched {
  return launch(prepareSpec(spec).plan, options);
}

/** What this machine's barrier can't give as it is written is refused, not approximated. */
function refuseForeign({ env, image, mounts }: SandboxSpec): void {
  if (!isSandboxEnv(env))
    throw cannotLaunch('its environment was not made by filterSandboxEnv', 'build it with SandboxSpecBuilder');
  if (image !== undefined)
    throw cannotLaunch('it names an image', 'leave image() out to run on this system, or hand the spec to a container');
  if (mounts.some(({ source, target }) => source !== target))
    throw cannotLaunch('it mounts a folder under another path', 'use the same path inside: source and target alike');
}

const cannotLaunch = (why: string, hint: string) =>
  new CordonError('spec', `this sandbox spec cannot be launched here: ${why}`, { where: 'SandboxSpec', hint });
