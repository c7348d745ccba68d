import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LAB = fileURLToPath(new URL('../lab/cluster', import.meta.url));

/** The machines below, where `kubectl` does not reach. */
export const lab = async (...args: string[]): Promise<string> =>
  (await run(LAB, args, { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 280_000 })).stdout;

/** The folder in which everything lies that the machines have on their disks. */
export const labFolder = (): string => process.env.CORDON_LAB as string;

export const MACHINES = ['one', 'two'] as const;
