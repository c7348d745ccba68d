import { existsSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const SYNTAX = 'https://git-scm.com/docs/git-config#_syntax';

const COMMON = {
  gives: 'code that Git runs for the user: at a commit, a checkout, or just to show a status',
  reference: SYNTAX,
  promise: 'planting',
} as const;

/** Ways people and programs write it, all of which Git takes. */
const FORMS: readonly (readonly [text: string, folder: string])[] = [
  ['[core]\n\thooksPath = ~/hooks-a ; mine', 'hooks-a'],
  ['[core] hooksPath = ~/hooks-b', 'hooks-b'],
  ['[core]\n\tHOOKSPATH = "~/hooks-c" # mine', 'hooks-c'],
  ['[CORE]\n\thooksPath=~/"hooks-d"', 'hooks-d'],
  ['[core]\n\thooksPath = ~/hoo\\\nks-e', 'hooks-e'],
];

const INCLUDED = ['inc/one', 'inc/two', 'inc/three', '.config/git/inc/four'];

export const GIT_FORMS: Probe = {
  id: 'planting/git-forms',
  title: 'planting hooks in folders that the configuration of Git names in less usual ways',
  planted:
    'a ~/.gitconfig that names folders of hooks with a comment behind the value, on the line of the section, in quotes and over two lines',
  tried: 'writing a hook to each folder',
  ...COMMON,
  ...planting({
    plant: (scene) => scene.file('.gitconfig', `${FORMS.map(([text]) => text).join('\n')}\n`),
    existing: FORMS.map(([, folder]) => `${folder}/pre-commit`),
    places: FORMS.flatMap(([, folder]) => [`${folder}/post-checkout`, `${folder}/pre-commit`]),
  }),
};

export const GIT_INCLUDED: Probe = {
  id: 'planting/git-included',
  title: 'planting commands in files that the configuration of Git takes in',
  planted:
    'files that ~/.gitconfig takes in: by a relative path, on a condition, from one that was taken in, and one that is not there',
  tried: `appending to ~/${INCLUDED.join(', ~/')} and writing ~/inc/absent`,
  ...COMMON,
  reference: 'https://git-scm.com/docs/git-config#_includes',
  ...planting({
    existing: INCLUDED.filter((place) => place !== 'inc/one'),
    plant: (scene) => {
      scene.file(
        '.gitconfig',
        '[include] path = inc/one ; mine\n[includeIf "gitdir:~/"]\n\tpath = ~/inc/two\n[include]\n\tpath = inc/absent\n',
      );
      scene.file('inc/one', '[include]\n\tpath = three\n[include]\n\tpath = ~/.config/git/inc/four\n');
    },
    places: [...INCLUDED, 'inc/absent'],
  }),
};

const PROGRAMS = [
  'helpers/credential',
  'helpers/pager',
  'helpers/editor',
  'helpers/ssh',
  'helpers/diff',
  'helpers/sign',
];

export const GIT_PROGRAMS: Probe = {
  id: 'planting/git-programs',
  title: 'planting code in programs that the configuration of Git names',
  planted: 'programs that ~/.gitconfig names as credential helper, pager, editor, ssh, filter and signer',
  tried: 'appending to each',
  ...COMMON,
  reference: 'https://git-scm.com/docs/git-config',
  ...planting({
    existing: PROGRAMS,
    plant: (scene) =>
      scene.file(
        '.gitconfig',
        `[credential] helper = ~/helpers/credential
[core]
	pager = ~/helpers/pager --plain # mine
	editor = "~/helpers/editor"
	sshCommand = ~/helpers/ssh -v
[diff "x"]
	command = ~/helpers/diff
[gpg]
	program = ~/helpers/sign
`,
      ),
    places: PROGRAMS,
  }),
};

/** As husky sets it up: the folder is ignored by Git, so that no diff shows what was planted. */
async function plantHusky(scene: Scene): Promise<void> {
  await scene.command(['git', 'init', '-q', scene.work]);
  await scene.command(['git', '-C', scene.work, 'config', 'core.hooksPath', '.husky/_']);
  scene.file('work/.husky/_/.gitignore', '*\n');
  scene.file('work/.husky/_/pre-commit', '#!/bin/sh\n', 0o755);
}

export const HOOKS_OF_THE_PROJECT: Probe = {
  id: 'planting/hooks-of-the-project',
  title: "planting a hook in the folder that the workspace's repository names",
  planted: 'a repository in the workspace with core.hooksPath = .husky/_, as husky sets it up',
  tried: 'writing hooks there, and putting another folder in its place',
  ...COMMON,
  reference: 'https://typicode.github.io/husky/how-to.html',
  inapplicable: () => lacking('git'),
  ...planting({ plant: plantHusky, places: ['work/.husky/_/pre-commit', 'work/.husky/_/post-checkout'] }),
  trial: ({ work, canary }) => ({
    sh: `cd ${work}; for hook in pre-commit post-checkout; do echo ${canary} >> .husky/_/$hook; done
mv .husky/_ .husky/old && mkdir .husky/_ && echo ${canary} > .husky/_/pre-commit
mv .husky old && mkdir -p .husky/_ && echo ${canary} > .husky/_/pre-commit`,
  }),
};

/** Keys whose values Git starts as programs, with the form that it takes from them. */
const KEYS = [
  ...[
    'core.hooksPath',
    'core.fsmonitor',
    'core.sshCommand',
    'core.pager',
    'core.editor',
    'core.askPass',
    'gpg.program',
  ],
  ...['credential.helper', 'filter.x.clean', 'filter.x.smudge', 'diff.x.command', 'diff.external', 'merge.x.driver'],
  ...['alias.st', 'sequence.editor', 'uploadpack.packObjectsHook', 'remote.origin.uploadpack', 'include.path'],
];

const keyIsSet = (scene: Scene) =>
  ['work/.git/config', 'work/.git/config.worktree'].some((place) => {
    const path = scene.path(place);
    return existsSync(path) && readFileSync(path, 'utf8').includes(scene.canary);
  });

export const WORKSPACE_GIT_KEYS: Probe = {
  id: 'planting/workspace-git-keys',
  title: "planting each key of the workspace's repository that starts a program",
  planted: 'a repository in the workspace',
  tried: `git config ${KEYS.join(', ')}, an extension for worktrees, and another folder in the place of .git`,
  ...COMMON,
  reference: 'https://git-scm.com/docs/git-config',
  inapplicable: () => lacking('git'),
  plant: (scene) => scene.command(['git', 'init', '-q', scene.work]),
  trial: ({ work, canary }) => ({
    sh: `cd ${work}
for key in ${KEYS.join(' ')}; do git config $key '!echo ${canary}'; done
git config extensions.worktreeConfig true && git config --worktree core.fsmonitor '!echo ${canary}'
mv .git old && cp -r old .git && git config core.fsmonitor '!echo ${canary}'`,
  }),
  worked: keyIsSet,
};
