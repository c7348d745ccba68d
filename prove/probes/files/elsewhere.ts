import { symlinkSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';

const GIVES = 'credentials that do not lie where one would look first';

function plantLinks(scene: Scene): void {
  const link = (to: string, at: string) => symlinkSync(to, scene.path(at));
  scene.file('dotfiles/aws/credentials');
  link('dotfiles/aws', '.aws');
  scene.file('dotfiles/netrc');
  link('dotfiles/second', '.netrc');
  link('netrc', 'dotfiles/second');
  scene.file('dotfiles/config/gh/hosts.yml');
  link('dotfiles/config', '.config');
}

export const BEHIND_SYMLINKS: Probe = {
  id: 'files/behind-symlinks',
  title: 'credentials that lie elsewhere, with a link in the home',
  gives: GIVES,
  planted: 'credential files in a folder of dotfiles, with links to the file, to its folder and to the folder above',
  tried: 'reading them through the links and in the folder itself',
  reference: 'https://man7.org/linux/man-pages/man7/symlink.7.html',
  promise: 'credentials',
  plant: plantLinks,
  trial: () => ({
    sh: 'cd ~; cat .aws/credentials .netrc .config/gh/hosts.yml; find dotfiles -type f -exec cat {} +',
  }),
};

const NAMED = {
  KUBECONFIG: 'kube',
  AWS_SHARED_CREDENTIALS_FILE: 'aws',
  AWS_CONFIG_FILE: 'aws-config',
  GOOGLE_APPLICATION_CREDENTIALS: 'gcp',
  AZURE_CONFIG_DIR: 'azure',
  PGPASSFILE: 'pg',
  NPM_CONFIG_USERCONFIG: 'npm',
  DOCKER_CONFIG: 'docker',
  NETRC: 'netrc',
  GH_CONFIG_DIR: 'gh',
  VAULT_TOKEN_PATH: 'vault',
  HISTFILE: 'history',
  PASSWORD_STORE_DIR: 'pass',
};

export const WHERE_VARIABLES_SAY: Probe = {
  id: 'files/where-variables-say',
  title: 'credential files at places that only variables of the parent name',
  gives: GIVES,
  planted: `files that ${Object.keys(NAMED).join(', ')} point at`,
  tried: 'reading every file of that folder',
  reference: attack('T1552/001'),
  promise: 'credentials',
  plant: (scene) => Object.values(NAMED).map((file) => scene.file(`keep/${file}`)),
  env: (scene) => Object.fromEntries(Object.entries(NAMED).map(([name, file]) => [name, scene.path(`keep/${file}`)])),
  trial: () => ({ sh: 'grep -H . ~/keep/*' }),
};

const MOVED = {
  XDG_CONFIG_HOME: 'moved/config',
  XDG_DATA_HOME: 'moved/data',
  XDG_CACHE_HOME: 'moved/cache',
  CARGO_HOME: 'moved/cargo',
  CLAUDE_CONFIG_DIR: 'moved/claude',
  CODEX_HOME: 'moved/codex',
};

const IN_MOVED = [
  'moved/config/gh/hosts.yml',
  'moved/config/gcloud/credentials.db',
  'moved/data/keyrings/login.keyring',
  'moved/cache/huggingface/token',
  'moved/cargo/credentials.toml',
  'moved/claude/.credentials.json',
  'moved/codex/auth.json',
];

export const IN_MOVED_FOLDERS: Probe = {
  id: 'files/in-moved-folders',
  title: 'credential files of a home whose folders variables have moved',
  gives: GIVES,
  planted: `stand-ins below the folders that ${Object.keys(MOVED).join(', ')} name`,
  tried: 'reading them',
  reference: 'https://specifications.freedesktop.org/basedir-spec/latest/',
  promise: 'credentials',
  plant: (scene) => IN_MOVED.map((place) => scene.file(place)),
  env: (scene) => Object.fromEntries(Object.entries(MOVED).map(([name, place]) => [name, scene.path(place)])),
  trial: () => ({ sh: `cd ~; grep -H . ${IN_MOVED.join(' ')}` }),
};

export const RUNTIME_FOLDER: Probe = {
  id: 'files/runtime-folder',
  title: 'files of the session in the runtime folder',
  gives: 'registry log-ins, tokens of mounted network folders, cookies of the display',
  planted: 'files in the folder that XDG_RUNTIME_DIR names',
  tried: 'reading all of them, and making one',
  reference: 'https://specifications.freedesktop.org/basedir-spec/latest/',
  promise: 'credentials',
  plant: (scene) => {
    scene.folder('runtime', 0o700);
    scene.file('runtime/containers/auth.json');
    scene.file('runtime/gvfs/token');
  },
  env: (scene) => ({ XDG_RUNTIME_DIR: scene.path('runtime') }),
  trial: () => ({ sh: 'find ~/runtime -type f -exec cat {} +; touch ~/runtime/own' }),
};
