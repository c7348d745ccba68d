import { defineConfig } from 'vitest/config';

// These stages are pure: their tests need no build, save the one that installs a package in a real sandbox.
const PURE = ['host', 'policy', 'decide', 'secrets', 'seal', 'plan', 'spec'].map(
  (stage) => `test/${stage}/**/!(postinstall).test.ts`,
);
const SEED = 'test/support/seed.ts';

// What takes long and says little that is new each time: .ci/run sets this, and CONTRIBUTING.md names them.
const SLOW =
  process.env.CORDON_TEST_ALL === '1'
    ? []
    : [
        'test/agents/library.test.ts',
        'test/broker/{load,log-ins,postgres,vaulted-log-ins}.test.ts',
        'test/mcp/{faults,http,inspector,load,shards,shared-state,token-files}.test.ts',
        'test/network/{clients,load}.test.ts',
        'test/project/{docs-commands,docs-library,pack,scripts}.test.ts',
        'test/prove/{columns,held,leaves-nothing,page,unprotected,users-own}.test.ts',
        'test/sessions/{cgroups,faults,limits,load}.test.ts',
        'test/ui/page.test.ts',
      ];
// Builds each scene of mounts that nobody else sees, which takes root.
const BY_ROOT = process.getuid?.() === 0 ? [] : ['test/launch/places.property.test.ts'];
const SET_UP = 'test/support/global-set-up.ts';

const REAL = {
  globalSetup: [SEED, SET_UP],
  setupFiles: [SEED],
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'pure', include: PURE, globalSetup: [SEED], setupFiles: [SEED], testTimeout: 60_000 },
      },
      {
        // Each of these files declares a way out and keeps nothing: they share a process, and what it has built.
        test: { ...REAL, name: 'escapes', include: ['test/escapes/**/*.test.ts'], isolate: false },
      },
      {
        // Real agent programs have to be fetched first: .ci/agents. Containers need an engine: .ci/containers. Servers under load
        // and faults take a while: .ci/replicas. A Kubernetes has to be built: .ci/cluster.
        test: {
          ...REAL,
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...PURE,
            ...SLOW,
            ...BY_ROOT,
            ...['escapes', 'agents-real', 'containers', 'replicas', 'cluster'].map((name) => `test/${name}/**`),
          ],
        },
      },
    ],
  },
});
