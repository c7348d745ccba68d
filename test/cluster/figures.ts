import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was measured is said, and kept for bench/cluster.mjs where that has asked. */
export function keepFigures(name: string, figures: object): void {
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
  const folder = process.env.CORDON_BENCH_FOLDER;
  if (folder !== undefined) writeFileSync(join(folder, `${name}.json`), JSON.stringify(figures));
}
