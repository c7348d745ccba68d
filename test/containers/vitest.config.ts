import { defineConfig } from 'vitest/config';

// Started by .ci/containers, which brings podman and docker's client.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/containers/**/*.test.ts'],
    globalSetup: ['test/support/seed.ts', 'test/support/global-set-up.ts', 'test/containers/engine-set-up.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
