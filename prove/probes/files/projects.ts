import { linkSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { filesAt } from './places.ts';

const ENV_FILES = 'https://12factor.net/config';
const GIVES = 'the keys of services that another project uses, often those in production';

export const ENV_FILES_OF_OTHERS: Probe = {
  id: 'files/env-files',
  title: '.env files of other projects',
  gives: GIVES,
  reference: ENV_FILES,
  promise: 'credentials',
  ...filesAt('code/shop/.env', 'code/.envrc', '.env.local', 'site/.env.production'),
};

export const DEEP_ENV_FILES: Probe = {
  id: 'files/env-files-deep',
  title: '.env files of other projects, more than two folders down',
  gives: GIVES,
  reference: ENV_FILES,
  promise: 'credentials',
  ...filesAt('code/company/shop/server/.env'),
};

export const OWN_ENV_FILE: Probe = {
  id: 'files/env-file-of-workspace',
  title: "the workspace's own .env file",
  gives: 'the keys of the services that this project uses',
  reference: ENV_FILES,
  promise: 'nothing',
  ...filesAt('work/.env'),
};

export const UNLISTED_FILES: Probe = {
  id: 'files/unlisted',
  title: 'secrets in places nobody has put on a list',
  gives: 'what people note down, and scripts with a key in them',
  reference: attack('T1552/001'),
  promise: 'credentials',
  ...filesAt('Documents/passwords.txt', 'notes/recovery-codes.md', 'scripts/deploy.sh', '.config/mytool/token'),
};

export const READABLE_SETTINGS: Probe = {
  id: 'files/readable-settings',
  title: 'secrets in settings that programs inside need',
  gives: 'tokens in an address that Git rewrites, keys that an editor gives its terminals',
  reference: 'https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader',
  promise: 'home',
  ...filesAt('.gitconfig', '.config/Code/User/settings.json', '.codex/config.toml'),
};

export const SETTINGS_WITH_PASSWORDS: Probe = {
  id: 'files/settings-with-passwords',
  title: 'settings of pip, curl, wget and Conda with a password in them',
  gives: 'the log-in to the private mirror of the company',
  planted: 'an address with a password in ~/.config/pip/pip.conf, ~/.curlrc, ~/.wgetrc and ~/.condarc',
  tried: 'reading them',
  reference: 'https://pip.pypa.io/en/stable/topics/authentication/',
  promise: 'credentials',
  plant: (scene) => {
    const address = `https://me:${scene.canary}@mirror.example/simple`;
    scene.file('.config/pip/pip.conf', `[global]\nindex-url = ${address}\n`);
    scene.file('.pip/pip.conf', `[global]\nindex-url = ${address}\n`);
    scene.file('.curlrc', `user = me:${scene.canary}\n`);
    scene.file('.wgetrc', `password=${scene.canary}\n`);
    scene.file('.condarc', `channels:\n  - ${address}\n`);
  },
  trial: () => ({ sh: 'cd ~; grep -H . .config/pip/pip.conf .pip/pip.conf .curlrc .wgetrc .condarc' }),
};

export const HARD_LINKS: Probe = {
  id: 'files/hard-links',
  title: 'a second name of a credential file, made beforehand',
  gives: 'the credential, under a name that no list knows',
  planted: 'a hard link to ~/.netrc in the workspace',
  tried: 'reading it',
  reference: 'https://man7.org/linux/man-pages/man2/link.2.html',
  promise: 'nothing',
  plant: (scene) => linkSync(scene.file('.netrc'), `${scene.work}/second-name`),
  trial: ({ work }) => ({ sh: `cat ${work}/second-name` }),
};

export const OWN_HARD_LINKS: Probe = {
  id: 'files/hard-links-from-inside',
  title: 'a second name of a credential file, made from inside',
  gives: 'the credential, for a later command that finds it in the workspace',
  planted: '~/.netrc and ~/.ssh/id_rsa',
  tried: 'making hard links to them and reading those',
  reference: 'https://man7.org/linux/man-pages/man2/link.2.html',
  promise: 'credentials',
  plant: (scene) => [scene.file('.netrc'), scene.file('.ssh/id_rsa')],
  trial: ({ work }) => ({ sh: `cd ${work}; ln ~/.netrc a; ln ~/.ssh/id_rsa b; cat a b` }),
};
