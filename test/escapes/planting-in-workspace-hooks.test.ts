import { execFileSync } from 'node:child_process';
import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

wayOut(
  "planting a hook in the workspace's repository",
  planting({
    plant: ({ work, uid, gid, home }) => {
      execFileSync('git', ['init', '-q', '.'], { cwd: work, uid, gid, env: { PATH: '/usr/bin:/bin', HOME: home } });
    },
    places: ['work/.git/hooks/pre-commit', 'work/.git/hooks/post-checkout'],
  }),
);
