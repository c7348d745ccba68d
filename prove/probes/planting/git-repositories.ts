import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';

const COMMON = {
  gives: 'code that Git runs for the user: at a commit, a rebase, or just to show a status',
  promise: 'planting',
  inapplicable: () => lacking('git'),
} as const;

const remain = (places: readonly string[]) => (scene: Scene) =>
  places.some((place) => {
    const path = scene.path(`work/${place}`);
    return existsSync(path) && readFileSync(path, 'utf8').includes(scene.canary);
  });

/** A repository at `s`, which the index of the one around it calls a part. */
const PART = `git init -q s && git -C s -c user.name=n -c user.email=n@localhost commit -q --allow-empty -m s
git update-index --add --cacheinfo 160000,$(git -C s rev-parse HEAD),s`;

export const GIT_PARTS: Probe = {
  id: 'planting/git-parts',
  title: 'planting a command in a repository that Git comes to from that of the workspace',
  planted: 'a repository in the workspace',
  tried: 'making another one a part of it, whose git directory is .git/modules itself',
  ...COMMON,
  reference: 'https://git-scm.com/docs/gitrepository-layout',
  plant: (scene) => scene.command(['git', 'init', '-q', scene.work]),
  trial: ({ work, canary }) => ({
    sh: `cd ${work}
${PART}
mv s/.git .git/modules && echo 'gitdir: ../.git/modules/.' >s/.git
git config -f .git/modules/config core.fsmonitor 'echo ${canary}; false'`,
  }),
  worked: remain(['.git/modules/config']),
};

export const GIT_ELSEWHERE: Probe = {
  id: 'planting/git-elsewhere',
  title: "planting a hook and a command in the workspace's repository, where it is not in .git",
  planted: 'a repository in the workspace whose .git is a file that names another folder there',
  tried: 'writing a hook to that folder, and git config core.fsmonitor',
  ...COMMON,
  reference: 'https://git-scm.com/docs/git-init#Documentation/git-init.txt---separate-git-dirltgit-dirgt',
  plant: (scene) => scene.command(['git', 'init', '-q', '--separate-git-dir', `${scene.work}/.bare`, scene.work]),
  trial: ({ work, canary }) => ({
    sh: `cd ${work}
echo ${canary} >.bare/hooks/pre-commit
git config core.fsmonitor 'echo ${canary}; false'`,
  }),
  worked: remain(['.bare/hooks/pre-commit', '.bare/config']),
};

export const GIT_STEPS: Probe = {
  id: 'planting/git-steps',
  title: 'planting a command among what a rebase has still to do',
  planted: 'a repository in the workspace',
  tried: 'leaving a rebase with a line that runs a program, and a setting that writes such lines',
  ...COMMON,
  reference: 'https://git-scm.com/docs/git-rebase#Documentation/git-rebase.txt---execltcmdgt',
  plant: (scene) => scene.command(['git', 'init', '-q', scene.work]),
  trial: ({ work, canary }) => ({
    sh: `cd ${work}
git config rebase.instructionFormat '%s%nexec echo ${canary}'
mkdir .git/rebase-merge && echo 'exec echo ${canary}' >.git/rebase-merge/git-rebase-todo`,
  }),
  worked: remain(['.git/config', '.git/rebase-merge/git-rebase-todo']),
};

const leads = (scene: Scene, place: string) => {
  try {
    return readlinkSync(scene.path(`work/${place}`)).includes(scene.canary);
  } catch {
    return false;
  }
};

export const GIT_WRITES: Probe = {
  id: 'planting/git-writes',
  title: "making Git itself write to the user's files",
  planted: 'a repository in the workspace with a commit',
  tried:
    'a link in place of a reflog, a conflict whose solution Git writes anywhere, an option of a rebase that names a file',
  ...COMMON,
  gives: "a line of the command's choosing in a start-up file, written by the user's next commit",
  reference: 'https://git-scm.com/docs/gitrepository-layout',
  plant: async (scene) => {
    await scene.command(['git', 'init', '-q', scene.work]);
    const who = ['-c', 'user.name=n', '-c', 'user.email=n@localhost'];
    await scene.command(['git', '-C', scene.work, ...who, 'commit', '-q', '--allow-empty', '-m', 'one']);
  },
  trial: ({ work, canary }) => ({
    sh: `cd ${work}
rm .git/logs/HEAD && ln -s ../../../${canary} .git/logs/HEAD
printf '%s.-1\\t../%s\\0' "$(git rev-parse HEAD)" ${canary} >.git/MERGE_RR
mkdir .git/rebase-merge && echo " '--index-output=../${canary}'" >.git/rebase-merge/strategy_opts`,
  }),
  worked: (scene) =>
    leads(scene, '.git/logs/HEAD') || remain(['.git/MERGE_RR', '.git/rebase-merge/strategy_opts'])(scene),
};
