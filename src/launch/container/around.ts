import { existsSync } from 'node:fs';
import { bytesOfText } from '../../host/bytes.ts';
import { textIn } from '../../host/files.ts';
import type { ParentEnv } from '../../host/parent-env.ts';

/** What started the container that this process itself runs in. */
export type Around = 'podman' | 'docker' | 'kubernetes' | 'container';

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Every engine mounts these files; a machine that was unpacked from an image has its marker too, and not the mounts. */
const MOUNTED = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];

export function containerAround(env: ParentEnv): Around | undefined {
  const mounts = mountPoints();
  if (!MOUNTED.some((path) => mounts.includes(path))) return undefined;
  if (env.peek(bytesOfText('KUBERNETES_SERVICE_HOST')) !== undefined || existsSync(TOKEN_FOLDER)) return 'kubernetes';
  if (existsSync('/run/.containerenv')) return 'podman';
  return existsSync('/.dockerenv') ? 'docker' : 'container';
}

export const hasAccountToken = () => existsSync(`${TOKEN_FOLDER}/token`);

const mountPoints = () =>
  textIn('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');

/** A setting of the container without which no barrier can be made in it. */
type Lack = 'proc' | 'seccomp' | 'setfcap' | 'mounts';

/** All that is missing, not only what the launcher came upon first: whoever starts a container anew wants to do it once. */
export function lacking(why: string, mounts = mountPoints(), status = textIn('/proc/self/status')): Lack[] {
  const has = (bit: bigint) => (BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`) & bit) !== 0n;
  const isRoot = /^Uid:\s*\d+\s+0\s/m.test(status);
  const isFiltered = why.startsWith('user namespaces are not allowed');
  return [
    ...(isFiltered ? (['seccomp'] as const) : []),
    ...(why.startsWith('mounts of its own are not allowed') ? (['mounts'] as const) : []),
    ...(mounts.some((path) => path.startsWith('/proc/')) ? (['proc'] as const) : []),
    ...(isRoot && !has(SYS_ADMIN) && !has(SETFCAP) ? (['setfcap'] as const) : []),
  ];
}

const SETFCAP = 1n << 31n;
const SYS_ADMIN = 1n << 21n;

const FLAGS: Readonly<Record<'podman' | 'docker', Readonly<Record<Lack, string>>>> = {
  podman: {
    seccomp: '--security-opt seccomp=unconfined',
    mounts: '--security-opt apparmor=unconfined',
    proc: '--security-opt unmask=ALL',
    setfcap: '--cap-add SETFCAP',
  },
  docker: {
    seccomp: '--security-opt seccomp=unconfined',
    mounts: '--security-opt apparmor=unconfined',
    proc: '--security-opt systempaths=unconfined',
    setfcap: '--cap-add SETFCAP',
  },
};

const FIELDS: Readonly<Record<Lack, string>> = {
  seccomp: 'seccompProfile: { type: Unconfined }',
  mounts: 'appArmorProfile: { type: Unconfined }',
  proc: 'procMount: Unmasked',
  setfcap: 'runAsUser: 1000',
};

/** The very line that is missing, for whoever started this container. */
export function settingLine(around: Around, lacks: readonly Lack[]): string | undefined {
  if (lacks.length === 0) return undefined;
  if (around !== 'kubernetes') {
    const engine = around === 'podman' ? 'podman' : 'docker';
    return `${engine} run ${lacks.map((lack) => FLAGS[engine][lack]).join(' ')} …`;
  }
  // Kubernetes takes an unmasked /proc only in a user namespace, from 1.30 on.
  const pod = lacks.includes('proc') ? 'in the pod: hostUsers: false; ' : '';
  return `${pod}in the container: securityContext: { ${lacks.map((lack) => FIELDS[lack]).join(', ')} }`;
}
