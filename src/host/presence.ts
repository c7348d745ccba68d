import { statSync } from 'node:fs';

/** `forbidden`: nobody can tell, since a folder above it may not be entered. Links are followed; one that leads nowhere is absent. */
export function presenceOf(path: string): 'there' | 'absent' | 'forbidden' {
  try {
    statSync(path);
    return 'there';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' ? 'forbidden' : 'absent';
  }
}
