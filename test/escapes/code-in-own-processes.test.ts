import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackage } from '../support/cordon.ts';
import { wayOut } from '../support/escape.ts';
import type { Off } from '../support/escape-off.ts';
import { SHELL, through } from '../support/escape-run.ts';

const NODE_ITSELF: Off = {
  without: 'the native front',
  run: (attempt) => through(attempt, [process.execPath, join(installedPackage(), 'dist/cli.js'), 'run', '--']),
};

const source = (home: string) => `
#include <fcntl.h>
__attribute__((constructor)) static void ran(void) { creat("${home}/ran", 0600); }`;

// Only Cordon gets the variable, not the shell before it.
wayOut(
  {
    title: "running code in Cordon's own processes through LD_PRELOAD",
    plant: ({ home }) =>
      execFileSync('gcc', ['-shared', '-fPIC', '-x', 'c', '-o', `${home}/evil.so`, '-'], { input: source(home) }),
    starter: ({ home }) => [SHELL[0], SHELL[1], `export LD_PRELOAD=${home}/evil.so; "$@"`, 'sh'],
    trial: () => ({ sh: 'true' }),
    worked: ({ home }) => existsSync(join(home, 'ran')),
  },
  { off: NODE_ITSELF },
);

wayOut(
  {
    title: "running code in Cordon's own planner through NODE_OPTIONS",
    plant: (scene) => scene.file('evil.cjs', `require('fs').writeFileSync('${scene.home}/ran', '')`),
    env: ({ home }) => ({ NODE_OPTIONS: `--require ${home}/evil.cjs` }),
    trial: () => ({ sh: 'true' }),
    worked: ({ home }) => existsSync(join(home, 'ran')),
  },
  { off: NODE_ITSELF },
);
