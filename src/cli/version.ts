import { readFileSync } from 'node:fs';
import type { Context } from './context.ts';

export function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export function showVersion(context: Context): number {
  context.out(`cordon ${version()}\n`);
  return 0;
}
