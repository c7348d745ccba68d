import { defineConfig } from 'vitest/config';

// Started by .ci/agents, which brings the programs; the other tests need no network.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/agents-real/**/*.test.ts'],
    globalSetup: ['test/support/seed.ts', 'test/support/global-set-up.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
