import { defineConfig } from 'vitest/config';

/** Servers that are killed, filled up and restarted under load take a while: .ci/replicas. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/replicas/**/*.test.ts'],
    globalSetup: ['test/support/seed.ts', 'test/support/global-set-up.ts'],
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 170_000,
  },
});
