import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Attempt, Start } from '../../../prove/attempt.ts';
import type { Launcher, Loosened } from '../../../prove/launchers.ts';
import { showBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { headOf } from '../../host/files.ts';
import { isByName } from '../../policy/network/rules.ts';
import type { Policy } from '../../policy/policy.ts';
import { wholePolicyText } from '../../policy/whole-policy.ts';
import { relocated, shortened, type Whereabouts } from './relocate.ts';

interface UnderPolicy {
  readonly from: Whereabouts;
  readonly version?: string | undefined;
  readonly flags?: string | undefined;
  /** The program, where it isn't the one this code came with. */
  readonly front?: string;
}

/**
 * Cordon as it is started by its users: the front in the scene, with the environment that the starter leaves it. The policy
 * comes along as a whole, since profiles are in the user's home, and without its credentials: those are the user's own.
 */
export function underPolicy(policy: Policy, options: UnderPolicy = { from: { homes: [], workdir: '/' } }): Launcher {
  const { from, version, flags, front = nativeFront() } = options;
  const start = ({ scene, trial, brokered, hosts }: Attempt): Start => {
    const file = `${scene.home}.policy`;
    const filesystem = relocated(policy.filesystem, from, scene);
    writeFileSync(file, wholePolicyText({ ...policy, filesystem }), { mode: 0o600 });
    scene.own(file);
    scene.atEnd(() => rmSync(file, { force: true }));
    const broker = Object.entries(brokered).flatMap(([name, host]) => ['--broker', `${name}@${host}`]);
    // With the probe's own hosts, where there is a list at all; what is brokered makes one of a network that is simply there.
    const isListed = isByName(policy.network) || (broker.length > 0 && policy.network.mode === 'on');
    const net = isListed ? hosts.flatMap((host) => ['--net', host]) : [];
    return { argv: [front, 'run', '--quiet', '--throwaway-home', '--policy', file, ...broker, ...net, '--', ...trial] };
  };
  return { kind: 'cordon', title: 'cordon', version, flags, start, loosened: loosened(policy, options) };
}

/** One part of a policy that lets something through. */
interface PolicyLoosening {
  readonly by: string;
  readonly without: (policy: Policy) => Policy;
}

function loosened(policy: Policy, options: UnderPolicy): Loosened {
  const parts = loosenings(policy, options.from);
  return {
    by: parts.map(({ by }) => by),
    without: (these) => {
      const dropped = parts.filter((_, i) => these.has(i));
      const tighter = dropped.reduce((now, { without }) => without(now), policy);
      return underPolicy(tighter, options);
    },
  };
}

/** Whoever writes these wants what they bring, so it is not promised that they bring nothing. The default base is no such part. */
function loosenings({ base, allow, filesystem }: Policy, from: Whereabouts): PolicyLoosening[] {
  const paths = (['expose', 'write', 'read'] as const).flatMap((key) =>
    filesystem[key].map((path) => ({ by: `${key} ${shortened(path, from)}`, without: withoutPath(key, path) })),
  );
  const wideBase: PolicyLoosening = {
    by: `base ${base.preset} (${base.origin})`,
    without: (policy) => ({ ...policy, base: { ...policy.base, preset: 'os-common' } }),
  };
  return [
    ...(base.preset === 'all' || base.preset === 'agent' ? [wideBase] : []),
    ...allow.map((rule) => ({
      by: `allow ${showBytes(rule.pattern.source)} (${rule.origin})`,
      without: (policy: Policy) => ({ ...policy, allow: policy.allow.filter((other) => other !== rule) }),
    })),
    ...paths,
  ];
}

function withoutPath(key: 'expose' | 'write' | 'read', path: string) {
  return (policy: Policy): Policy => {
    const kept = policy.filesystem[key].filter((other) => other !== path);
    return { ...policy, filesystem: { ...policy.filesystem, [key]: kept } };
  };
}

const PLACES = ['../bin/cordon', 'bin/cordon'];

/** The `cordon` that people start: in `bin` of the package, in a checkout in `dist/bin`. */
export function nativeFront(): string {
  const front = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(isNative);
  if (front !== undefined) return front;
  throw new CordonError('launcher', 'the launcher is not built here, so there is nothing to prove', {
    hint: 'cordon doctor says how to get it',
  });
}

/** Where nothing could be built a script of Node's takes its place. */
function isNative(path: string): boolean {
  try {
    return headOf(path, 4, 'followed').toString('latin1') === '\x7fELF';
  } catch {
    return false;
  }
}
