import { defineConfig } from 'vitest/config';

// Started by .ci/cluster, which brings a Kubernetes and the image, in the network of its machines. On a cluster of others there are no
// machines to look at, and what does so is left out.
const MACHINES = process.env.CORDON_LAB === undefined ? ['test/cluster/machines/**'] : [];

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/cluster/**/*.test.ts'],
    exclude: MACHINES,
    globalSetup: ['test/support/seed.ts', 'test/cluster/deploy-set-up.ts', 'test/cluster/pods-set-up.ts'],
    setupFiles: ['test/support/seed.ts', 'test/cluster/say-state.ts'],
    pool: 'forks',
    testTimeout: 480_000,
    hookTimeout: 480_000,
    fileParallelism: false,
  },
});
