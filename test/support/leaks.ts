import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** A value that stands nowhere else on the machine, to be looked for. */
export const canary = () => `canary-${randomBytes(12).toString('hex')}`;

export const filesBelow = (folders: readonly string[], value: string) =>
  spawnSync('grep', ['-rlaF', '--', value, ...folders], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '');

/** Processes whose arguments or environment hold it, by the names of their programs. */
export function programsWith(value: string, what: 'cmdline' | 'environ'): string[] {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
  return [...new Set(pids.flatMap((pid) => programWith(pid, what, value)))].sort();
}

/** Its name first: one that ends meanwhile would be found, and have none. */
function programWith(pid: string, what: string, value: string): string[] {
  try {
    const program = basename(readlinkSync(`/proc/${pid}/exe`));
    return readFileSync(`/proc/${pid}/${what}`, 'latin1').includes(value) ? [program] : [];
  } catch {
    return [];
  }
}
