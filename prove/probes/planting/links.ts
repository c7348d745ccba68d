import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { planting } from './planting.ts';

/** What is on PATH, and where it lies in truth: as npm, nvm, uv, pipx and installers of agents lay it out. */
const LINKED: readonly (readonly [link: string, target: string])[] = [
  ['.npm-global/bin/prettier', '.npm-global/lib/node_modules/prettier/bin/prettier.cjs'],
  ['.nvm/versions/node/v22.0.0/bin/npm', '.nvm/versions/node/v22.0.0/lib/node_modules/npm/bin/npm-cli.js'],
  ['.local/bin/ruff', '.local/share/uv/tools/ruff/bin/ruff'],
  ['.local/bin/black', '.local/share/pipx/venvs/black/bin/black'],
  ['.local/bin/claude', '.local/share/claude/versions/1.0.0'],
  ['bin/deploy', 'scripts/deploy.sh'],
];

/** What those take in when they run. */
const BESIDE = [
  '.npm-global/lib/node_modules/prettier/index.cjs',
  '.local/share/uv/tools/ruff/lib/python3.12/site-packages/sitecustomize.py',
  '.local/share/pipx/venvs/black/lib/python3.12/site-packages/evil.pth',
];

export const BEHIND_PATH_LINKS: Probe = {
  id: 'planting/behind-links-on-path',
  title: 'planting code in what the links in folders of PATH lead to',
  gives: 'code that runs with everything the user has, when they next type the name of a program',
  planted: `links on PATH: ${LINKED.map(([link, target]) => `~/${link} to ~/${target}`).join(', ')}`,
  tried: 'appending to what they lead to, and to what that takes in',
  reference: attack('T1574'),
  promise: 'planting',
  ...planting({
    existing: LINKED.map(([, target]) => target),
    plant: (scene) => {
      for (const [link, target] of LINKED) {
        const folder = scene.folder(dirname(link));
        symlinkSync(relative(folder, scene.path(target)), scene.path(link));
      }
    },
    places: [...LINKED.map(([, target]) => target), ...BESIDE],
  }),
  env: ({ home }) => {
    const folders = [...new Set(LINKED.map(([link]) => `${home}/${dirname(link)}`))];
    return { PATH: [...folders, '/usr/local/bin:/usr/bin:/bin'].join(':') };
  },
};

/** Where log-ins are written; none of them is there yet. */
const LOG_INS = [
  ...['.config/gh/hosts.yml', '.aws/sso/cache', '.aws/credentials', '.docker/config.json', '.kube/config', '.netrc'],
  ...['.config/gcloud', '.azure', '.codex/auth.json', '.claude/.credentials.json', '.npmrc', '.config/toolx/token'],
];

/** Where a later log-in would end: the token goes where the link leads. */
const isRedirected = (scene: Scene) =>
  LOG_INS.some((place) => lstatSync(scene.path(place), { throwIfNoEntry: false })?.isSymbolicLink() === true);

export const REDIRECTED_LOG_INS: Probe = {
  id: 'planting/redirected-log-ins',
  title: 'planting links in the places where later log-ins are written',
  gives: 'the token of the next log-in, written to the workspace by the very program that should keep it',
  planted: 'nothing',
  tried: `making links to the workspace at ~/${LOG_INS.join(', ~/')}`,
  reference: 'https://cwe.mitre.org/data/definitions/59.html',
  promise: 'planting',
  trial: ({ home, work }) => ({
    sh: LOG_INS.map((place) => `mkdir -p "$(dirname ${home}/${place})"; ln -s ${work}/caught ${home}/${place}`).join(
      '\n',
    ),
  }),
  worked: isRedirected,
};

const SHELL_FILE = '.bashrc';
const isChanged = (scene: Scene) =>
  existsSync(scene.path(SHELL_FILE)) && readFileSync(scene.path(SHELL_FILE), 'utf8').includes(scene.canary);

export const THROUGH_WORKSPACE_LINKS: Probe = {
  id: 'planting/through-links-of-the-workspace',
  title: 'planting code through links from the workspace',
  gives: 'code that runs with everything the user has, as soon as they open the next shell',
  planted: `~/${SHELL_FILE}, and links in the workspace to it, to the home and to the root`,
  tried: 'appending through each',
  reference: 'https://cwe.mitre.org/data/definitions/59.html',
  promise: 'planting',
  plant: (scene) => {
    symlinkSync(scene.file(SHELL_FILE, '# mine\n'), `${scene.work}/file`);
    symlinkSync('..', `${scene.work}/home`);
    symlinkSync('/', `${scene.work}/root`);
  },
  trial: ({ home, work, canary }) => ({
    sh: `cd ${work}; for place in file home/${SHELL_FILE} root${home}/${SHELL_FILE}; do echo ${canary} >> $place; done`,
  }),
  worked: isChanged,
};
