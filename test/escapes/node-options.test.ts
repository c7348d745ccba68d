import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installedPackage } from '../support/cordon.ts';
import { wayOut } from '../support/escape.ts';
import type { Off } from '../support/escape-off.ts';
import { through } from '../support/escape-run.ts';

const NODE_ITSELF: Off = {
  without: 'the native front',
  run: (attempt) => through(attempt, [process.execPath, join(installedPackage(), 'dist/cli.js'), 'run', '--']),
};

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
