import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const CONFIGURATION = 'https://git-scm.com/docs/git-config';
const PLACES = ['.gitconfig', '.config/git/config', '.config/git/attributes', '.config/git/hooks/post-checkout'];

const COMMON = {
  gives: 'code that Git runs for the user: at a commit, a checkout, or just to show a status',
  reference: 'https://git-scm.com/docs/githooks',
  promise: 'planting',
} as const;

const IN_REPOSITORY = { ...COMMON, inapplicable: () => lacking('git') } as const;

const initialised = (scene: Scene, folder: string) => scene.command(['git', 'init', '-q', scene.folder(folder)]);

export const GIT_CONFIGURATION: Probe = {
  id: 'planting/git-configuration',
  title: 'planting commands in the global configuration of Git',
  planted: '~/.gitconfig',
  tried: `appending to it, and writing ~/${PLACES.slice(1).join(', ~/')}`,
  ...COMMON,
  reference: CONFIGURATION,
  ...planting({ existing: ['.gitconfig'], places: PLACES }),
};

export const ABSENT_GIT_CONFIGURATION: Probe = {
  id: 'planting/absent-git-configuration',
  title: 'planting commands in a global configuration of Git that is not there',
  planted: 'nothing',
  tried: `writing ~/${PLACES.join(', ~/')}`,
  ...COMMON,
  reference: CONFIGURATION,
  ...planting({ places: PLACES }),
};

export const GIT_POINTERS: Probe = {
  id: 'planting/git-pointers',
  title: 'planting hooks where the configuration of Git points',
  planted: 'a ~/.gitconfig that names a folder of hooks and a further file',
  tried: 'writing hooks to the folder and commands to the file',
  ...COMMON,
  ...planting({
    plant: (scene) => {
      scene.file('.gitconfig', '[core]\n\thooksPath = ~/my-hooks\n[include]\n\tpath = ~/more.gitconfig\n');
      scene.file('more.gitconfig', '');
    },
    existing: ['my-hooks/pre-commit'],
    places: ['my-hooks/post-checkout', 'my-hooks/pre-commit', 'more.gitconfig'],
  }),
};

export const WORKSPACE_HOOKS: Probe = {
  id: 'planting/workspace-hooks',
  title: "planting a hook in the workspace's repository",
  planted: 'a repository in the workspace',
  tried: 'writing .git/hooks/pre-commit and post-checkout',
  ...IN_REPOSITORY,
  ...planting({
    plant: (scene) => initialised(scene, 'work'),
    places: ['work/.git/hooks/pre-commit', 'work/.git/hooks/post-checkout'],
  }),
};

export const WORKSPACE_GIT_CONFIGURATION: Probe = {
  id: 'planting/workspace-git-configuration',
  title: "planting a command in the configuration of the workspace's repository",
  planted: 'a repository in the workspace',
  tried: 'git config core.fsmonitor',
  ...IN_REPOSITORY,
  reference: 'https://git-scm.com/docs/git-config#Documentation/git-config.txt-corefsmonitor',
  ...planting({ plant: (scene) => initialised(scene, 'work'), places: ['work/.git/config'] }),
  trial: ({ work, canary }) => ({ sh: `git -C ${work} config core.fsmonitor 'echo ${canary}; false'` }),
};

export const SUBMODULE_HOOKS: Probe = {
  id: 'planting/submodule-hooks',
  title: 'planting a hook in a submodule of the workspace',
  planted: 'a repository in the workspace with another one in .git/modules',
  tried: 'writing a hook there',
  ...IN_REPOSITORY,
  ...planting({
    plant: async (scene) => {
      await initialised(scene, 'work');
      await scene.command(['git', 'init', '-q', '--bare', scene.folder('work/.git/modules/part')]);
    },
    places: ['work/.git/modules/part/hooks/post-checkout'],
  }),
};

export const HOOKS_OF_OTHERS: Probe = {
  id: 'planting/hooks-of-other-repositories',
  title: 'planting a hook in another repository of the user',
  planted: 'a repository beside the workspace',
  tried: 'writing .git/hooks/post-checkout there',
  ...IN_REPOSITORY,
  ...planting({
    plant: (scene) => initialised(scene, 'code/other'),
    places: ['code/other/.git/hooks/post-checkout'],
  }),
};
