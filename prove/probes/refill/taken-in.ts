import type { Probe } from '../../probe.ts';

const GIVES = 'keys that people keep out of their start-up files, and that these take in all the same';
const BASH = 'https://www.gnu.org/software/bash/manual/html_node/Bourne-Shell-Builtins.html';

export const TAKEN_IN: Probe = {
  id: 'refill/files-taken-in',
  title: 'files with keys that start-up files take in',
  gives: GIVES,
  planted: 'exports in ~/.secrets, ~/.config/keys.sh and ~/.bashrc.d/, which ~/.bashrc takes in, one of them in a loop',
  tried: 'bash -i, and reading the files',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => {
    scene.file(
      '.bashrc',
      '[ -f ~/.secrets ] && . ~/.secrets\nsource "$HOME/.config/keys.sh"\nfor f in ~/.bashrc.d/*; do . "$f"; done\n',
    );
    scene.file('.secrets', `export FIRST_KEY=${scene.canary}\n`);
    scene.file('.config/keys.sh', `export SECOND_KEY="${scene.canary}"\n`);
    scene.file('.bashrc.d/work', `export THIRD_KEY='${scene.canary}'\n`);
  },
  trial: () => ({ sh: 'bash -ic env 2>/dev/null; cd; cat .secrets .config/keys.sh .bashrc.d/work' }),
};

/** Keys under names that begin as harmless ones do, and a function that exports what it is told. */
const lookAlikes = (secret: string) => `
put() { eval "export $1=$2"; }
put FIRST_THING ${secret}
export MAIL_PASSWORD=${secret}
export MAILGUN_API_KEY=${secret} LANG_TOKEN=${secret} PATH_KEY=${secret}
. ~/.local/share/keys/env
. ~/.cache/keys/env
`;

const IN_KEPT_FOLDERS = ['.local/share/keys/env', '.cache/keys/env'];

export const LOOK_ALIKES: Probe = {
  id: 'refill/look-alikes',
  title: 'keys that start-up files export under names like MAIL_PASSWORD, by a function, or from where data is kept',
  gives: GIVES,
  planted: `a ~/.bashrc that exports MAIL_PASSWORD, MAILGUN_API_KEY and what a function is told, and takes in ~/${IN_KEPT_FOLDERS.join(' and ~/')}`,
  tried: 'bash -i, and reading the files',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => {
    scene.file('.bashrc', lookAlikes(scene.canary));
    for (const place of IN_KEPT_FOLDERS) scene.file(place, `export SECOND_THING=${scene.canary}\n`);
  },
  trial: () => ({ sh: `bash -ic env 2>/dev/null; cd; cat .bashrc ${IN_KEPT_FOLDERS.join(' ')}` }),
};

/** No line of these has both the word export and the value. */
const roundabout = (secret: string) => `
assign() { printf -v "$1" %s "$2"; export "$1"; }
assign FIRST_THING ${secret}
read -r SECOND_THING <<< ${secret}; export SECOND_THING
export THIRD_THING=$(echo ${Buffer.from(secret).toString('base64')} | base64 -d)
: "\${FOURTH_THING:=${secret}}"
export FOURTH_THING
`;

export const ROUNDABOUT_EXPORTS: Probe = {
  id: 'refill/roundabout-exports',
  title: 'keys that start-up files export in a roundabout way',
  gives: GIVES,
  planted: 'a ~/.bashrc that exports by printf -v, by read, by a default value and from base64',
  tried: 'bash -i',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => scene.file('.bashrc', roundabout(scene.canary)),
  trial: () => ({ sh: 'bash -ic env 2>/dev/null' }),
};

export const READ_AT_START: Probe = {
  id: 'refill/read-at-start',
  title: 'start-up files that read a key from where it is kept',
  gives: GIVES,
  planted: 'a ~/.bashrc that exports what is in ~/.env and in a log-in of gh',
  tried: 'bash -i',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => {
    scene.file(
      '.bashrc',
      'export $(xargs < ~/.env)\nexport GH_TOKEN=$(cat ~/.config/gh/hosts.yml)\neval "$(cat ~/.env)"\n',
    );
    scene.file('.env', `API_TOKEN=${scene.canary}\n`);
    scene.file('.config/gh/hosts.yml');
  },
  trial: () => ({ sh: 'bash -ic "env; set" 2>/dev/null' }),
};

export const VERSION_MANAGER: Probe = {
  id: 'refill/behind-a-version-manager',
  title: 'keys between the lines that set up a version manager',
  gives: GIVES,
  planted: 'a ~/.bashrc that takes in ~/.nvm/nvm.sh and exports a key after it',
  tried: 'bash -i, and reading the file',
  reference: 'https://github.com/nvm-sh/nvm#manual-install',
  promise: 'credentials',
  plant: (scene) => {
    scene.file(
      '.bashrc',
      `export NVM_DIR="$HOME/.nvm"\n[ -s "$NVM_DIR/nvm.sh" ] && \\. "$NVM_DIR/nvm.sh"\nexport NPM_TOKEN=${scene.canary} # publish\n`,
    );
    scene.file('.nvm/nvm.sh', 'nvm() { echo nvm; }\n');
  },
  trial: () => ({ sh: 'bash -ic env 2>/dev/null; cat ~/.bashrc' }),
};

const OF_PROGRAMS = {
  '.cargo/env': 'export FIRST_TOKEN=',
  '.nvm/nvm.sh': 'nvm() { echo nvm; }\nexport SECOND_THING=',
  'bin/env.sh': 'ex\\\nport THIRD_THING=',
};

export const AMONG_PROGRAMS: Probe = {
  id: 'refill/among-programs',
  title: 'keys in files of version managers, found by PATH, and exported in a word of two lines',
  gives: GIVES,
  planted: `exports in ${Object.keys(OF_PROGRAMS)
    .map((place) => `~/${place}`)
    .join(', ')}, which ~/.bashrc takes in, the last by its name alone`,
  tried: 'bash -i, and reading the files',
  reference: BASH,
  promise: 'credentials',
  plant: (scene) => {
    scene.file(
      '.bashrc',
      '. "$HOME/.cargo/env"\nNVM_DIR=~/.nvm\n. "$NVM_DIR/nvm.sh"\nPATH="$HOME/bin:$PATH"\n. env.sh\n',
    );
    for (const [place, text] of Object.entries(OF_PROGRAMS)) scene.file(place, `${text}${scene.canary}\n`);
  },
  trial: () => ({ sh: `bash -ic env 2>/dev/null; cd; cat ${Object.keys(OF_PROGRAMS).join(' ')}` }),
};

export const SESSION_ENVIRONMENT: Probe = {
  id: 'refill/session-environment',
  title: 'files that fill the environment of the whole session',
  gives: 'keys that are exported for every program, not only for shells',
  planted: 'variables in ~/.config/environment.d, ~/.xprofile and ~/.xsessionrc',
  tried: 'reading them',
  reference: 'https://www.freedesktop.org/software/systemd/man/latest/environment.d.html',
  promise: 'credentials',
  plant: (scene) => {
    scene.file('.config/environment.d/50-keys.conf', `API_TOKEN=${scene.canary}\n`);
    scene.file('.xprofile', `export API_TOKEN=${scene.canary}\n`);
    scene.file('.xsessionrc', `export API_TOKEN=${scene.canary}\n`);
  },
  trial: () => ({ sh: 'cd; cat .config/environment.d/50-keys.conf .xprofile .xsessionrc' }),
};

export const LOGIN_ENVIRONMENT: Probe = {
  id: 'refill/login-environment',
  title: 'files from which the log-in and the desktop take variables',
  gives: SESSION_ENVIRONMENT.gives,
  planted: 'variables in ~/.pam_environment and in ~/.config/plasma-workspace/env',
  tried: 'reading them',
  reference: 'https://man7.org/linux/man-pages/man5/pam_env.conf.5.html',
  promise: 'credentials',
  plant: (scene) => {
    scene.file('.pam_environment', `API_TOKEN DEFAULT=${scene.canary}\n`);
    scene.file('.config/plasma-workspace/env/keys.sh', `export API_TOKEN=${scene.canary}\n`);
  },
  trial: () => ({ sh: 'cd; cat .pam_environment .config/plasma-workspace/env/keys.sh' }),
};
