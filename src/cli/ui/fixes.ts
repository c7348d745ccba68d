import { existsSync } from 'node:fs';

/** Commands for the system at hand, as its user can type them. */
const MANAGERS = [
  ['/usr/bin/apt-get', 'apt-get install'],
  ['/usr/bin/dnf', 'dnf install'],
  ['/usr/bin/pacman', 'pacman -S'],
  ['/usr/bin/zypper', 'zypper install'],
  ['/sbin/apk', 'apk add'],
] as const;

export function installation(packages: string): string {
  const manager = MANAGERS.find(([program]) => existsSync(program));
  return manager === undefined
    ? `install ${packages} with the package manager of this system`
    : `${asRoot()}${manager[1]} ${packages}`;
}

/** Root needs no sudo, and in containers there is often none. */
export function asRoot(allowed = process.getuid?.() === 0): string {
  return allowed ? '' : 'sudo ';
}

/** What the system says of itself is fixed there; a container is told no more than that it may not. */
export function namespaceFix(limit: string | undefined): string {
  if (limit !== undefined) return `${asRoot()}sysctl -w ${limit.replace(/ is .*/, valueFor(limit))}`;
  return 'in a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined; else see docs/troubleshooting.md';
}

function valueFor(limit: string): string {
  if (limit.startsWith('user.max')) return '=15000';
  return limit.includes('apparmor') ? '=0' : '=1';
}
