import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage, runAs, runCordon } from '../support/cordon.ts';
import { wayOut } from '../support/escape.ts';
import type { Off } from '../support/escape-off.ts';
import { SHELL, through } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

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

describe.each(USERS)('a file of the workspace that steers Node, as --env-file of %s', (user) => {
  const planted = () => {
    const scene = new Scene(user);
    scene.file('work/evil.cjs', `require('fs').writeFileSync('${scene.home}/ran', '')`);
    scene.file('work/steering.env', 'NODE_OPTIONS=--require=./evil.cjs\n');
    return scene;
  };
  const dist = () => join(installedPackage(), 'dist');

  it.each([
    [['run', '--env-file', 'steering.env', '--', 'true']],
    [['explain', '--env-file', 'steering.env']],
    [['--env-file', 'steering.env']],
    [['run', '--env-file=steering.env', '--', 'true']],
  ])("runs nothing in Cordon's own planner: %j", (args) => {
    const scene = planted();
    runCordon(args, { user, home: scene.home, cwd: scene.work });
    expect(existsSync(join(scene.home, 'ran'))).toBe(false);
  });

  it('would, were Node not told where its own arguments end', () => {
    const scene = planted();
    const args = [join(dist(), 'cli.js'), 'run', '--env-file', 'steering.env', '--', 'true'];
    runAs(process.execPath, args, { user, home: scene.home, cwd: scene.work });
    expect(existsSync(join(scene.home, 'ran'))).toBe(true);
  });
});
