// What a report of measurements has besides its figures.
import { arch, cpus, release } from 'node:os';

/**
 * A row: { name, value, unit, goal, protection }, where goal is `<= 1.15`, `>= 3` or absent; without a value, a note says why.
 * The protection is what a command of ours has in it: `filter`, `env policy`, `guarded`, or that of a `session`.
 */
export function holds({ value, goal }) {
  if (goal === undefined || value === null) return undefined;
  const [relation, bound] = goal.split(' ');
  return relation === '<=' ? value <= Number(bound) : value >= Number(bound);
}

export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  kernel: release(),
  arch: arch(),
  node: process.version,
});
