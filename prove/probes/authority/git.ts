import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';

const GIVES = 'the token with which the user pushes: every repository they may write';
const ASK = `printf 'protocol=https\\nhost=git.example\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1`;
const noGit = () => lacking('git');

export const GIT_STORE: Probe = {
  id: 'authority/git-credential-store',
  title: 'asking Git for the passwords it has stored',
  gives: GIVES,
  planted: 'helper = store in ~/.gitconfig and a password in ~/.git-credentials',
  tried: 'git credential fill',
  reference: 'https://git-scm.com/docs/git-credential-store',
  promise: 'credentials',
  inapplicable: noGit,
  plant: (scene) => {
    scene.file('.gitconfig', '[credential]\n\thelper = store\n');
    scene.file('.git-credentials', `https://me:${scene.canary}@git.example\n`);
  },
  trial: () => ({ sh: ASK }),
};

export const GIT_HELPER: Probe = {
  id: 'authority/git-credential-helper',
  title: 'asking a credential helper of Git, which takes the token from where a tool keeps it',
  gives: GIVES,
  planted: 'a helper in ~/.gitconfig that reads the log-in of a code host, as gh and glab set themselves up',
  tried: 'git credential fill',
  reference: 'https://git-scm.com/docs/gitcredentials#_custom_helpers',
  promise: 'credentials',
  inapplicable: noGit,
  plant: (scene) => {
    scene.file('.config/gh/hosts.yml');
    const helper = '!f() { echo username=me; echo password=$(cat ~/.config/gh/hosts.yml); }; f';
    scene.file('.gitconfig', `[credential "https://git.example"]\n\thelper = "${helper}"\n`);
  },
  trial: () => ({ sh: ASK }),
};

/** A real daemon of Git's, which keeps the password in memory. */
async function plantCache(scene: Scene): Promise<void> {
  const cache = (action: string, input = '') =>
    scene.command(['/bin/sh', '-c', `printf '${input}' | git credential-cache --timeout 600 ${action}`]);
  scene.file('.gitconfig', '[credential]\n\thelper = cache\n');
  await cache('store', `protocol=https\\nhost=git.example\\nusername=me\\npassword=${scene.canary}\\n\\n`);
  scene.atEnd(() => cache('exit').catch(() => undefined));
}

export const GIT_CACHE: Probe = {
  id: 'authority/git-credential-cache',
  title: 'asking the daemon in which Git keeps passwords for a while',
  gives: GIVES,
  planted: 'helper = cache in ~/.gitconfig and a daemon that holds a password',
  tried: 'git credential fill, which connects to ~/.cache/git/credential/socket',
  reference: 'https://git-scm.com/docs/git-credential-cache',
  promise: 'credentials',
  inapplicable: noGit,
  plant: plantCache,
  trial: () => ({ sh: ASK }),
};
