import { isAbsolute, join } from 'node:path';
import type { Collection } from './collect.ts';

const CONTROL_PATH = /^\s*ControlPath[\s=]+"?([^"\n]+?)"?\s*$/gim;

/** Connections to servers that are open already, where the configuration of SSH says: whoever reaches one needs no key. */
export function hideOpenConnections(into: Collection): void {
  for (const home of into.homes) {
    const found = into.disk.existing(join(home, '.ssh/config'), home);
    const text = found?.kind === 'file' ? (into.disk.read(found.path) ?? '') : '';
    for (const [, value = ''] of text.matchAll(CONTROL_PATH)) hideAt(into, patternOf(value, home));
  }
}

/** `%h`, `%C` and their like stand for what only a connection tells. */
function patternOf(value: string, home: string): string {
  return value.replace(/^~(?=\/)|%d|\$\{HOME\}/g, home).replace(/%./g, '*');
}

function hideAt(into: Collection, pattern: string): void {
  if (!isAbsolute(pattern)) return;
  for (const path of into.disk.expand('/', pattern.slice(1))) {
    const found = into.disk.existing(path);
    if (found?.kind === 'other')
      into.coverFound(found, { access: 'hidden', speaker: 'preset', why: 'SSH connections that are open' });
  }
}
