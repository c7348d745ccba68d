import { defineConfig } from 'vitest/config';

// Started by .ci/cluster, which brings a Kubernetes and the image, in the network of its machines.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: ['test/support/seed.ts', 'test/cluster/deploy-set-up.ts', 'test/cluster/pods-set-up.ts'],
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
