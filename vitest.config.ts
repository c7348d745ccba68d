import { defineConfig } from 'vitest/config';

// These stages are pure: their tests need no build, save the one that installs a package in a real sandbox.
const PURE = ['host', 'policy', 'decide', 'secrets', 'seal', 'plan', 'spec'].map(
  (stage) => `test/${stage}/**/!(postinstall).test.ts`,
);
const SEED = 'test/support/seed.ts';
const SET_UP = 'test/support/global-set-up.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'pure', include: PURE, globalSetup: [SEED], setupFiles: [SEED], testTimeout: 60_000 },
      },
      {
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          // Real agent programs have to be fetched first: .ci/agents.
          exclude: [...PURE, 'test/agents-real/**'],
          globalSetup: [SEED, SET_UP],
          setupFiles: [SEED],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
