import { configureGlobal } from 'fast-check';

// One fixed seed for all property tests: CORDON_TEST_SEED=N repeats a run that was printed, or tries another.
const seed = Number(process.env.CORDON_TEST_SEED ?? 20260);

configureGlobal({ seed });

// As a global set-up of both projects it runs twice in one process; said once is enough.
export default function printSeed(): void {
  if (process.env.CORDON_TEST_SEED === String(seed)) return;
  process.env.CORDON_TEST_SEED = String(seed);
  process.stdout.write(`property tests: seed ${seed} (CORDON_TEST_SEED)\n`);
}
