import { readFileSync } from 'node:fs';
import type { Scene } from '../../scene.ts';

const YAMA = '/proc/sys/kernel/yama/ptrace_scope';

/** Why the kernel lets nobody look into other processes here, sandbox or not. */
export function untraceable({ uid }: Scene): string | undefined {
  const scope = yamaScope();
  const held = uid === 0 ? scope >= 3 : scope >= 1;
  return held ? `${YAMA} is ${scope}: only parents trace their children` : undefined;
}

function yamaScope(): number {
  try {
    return Number(readFileSync(YAMA, 'utf8'));
  } catch {
    return 0;
  }
}
