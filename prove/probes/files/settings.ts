import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';

/** Log-ins among settings that are shown: whatever the program and its language, as people and installers write them. */
const SETTINGS: Readonly<Record<string, (secret: string) => string>> = {
  '.gemrc': (secret) => `:rubygems_api_key: ${secret}\n`,
  '.nvm/versions/node/v20/etc/npmrc': (secret) => `//r.example/:_authToken=${secret}\n`,
  '.config/yarn/global/.yarnrc': (secret) => `"//r.example/:_authToken" ${secret}\n`,
  '.local/share/pypoetry/auth.toml': (secret) => `[pypi-token]\npypi = "${secret}"\n`,
  '.coursier/credentials.properties': (secret) => `corp.password=${secret}\n`,
  '.conan2/remotes.json': (secret) => `{"remotes":[{"url":"https://me:${secret}@r.example"}]}\n`,
  '.sbt/1.0/global.sbt': (secret) => `credentials += Credentials("Realm", "r.example", "me", "${secret}")\n`,
  '.gradle/init.d/corp.gradle': (secret) => `credentials { username 'me'; password '${secret}' }\n`,
  '.lein/profiles.clj': (secret) => `{:user {:repositories [["x" {:password "${secret}"}]]}}\n`,
  '.config/mise/config.toml': (secret) => `[env]\nGITHUB_TOKEN = "${secret}"\n`,
  '.config/direnv/direnvrc': (secret) => `export GITHUB_TOKEN=${secret}\n`,
  '.config/nushell/env.nu': (secret) => `$env.GITHUB_TOKEN = "${secret}"\n`,
  '.tmux.conf': (secret) => `set-environment -g GITHUB_TOKEN ${secret}\n`,
  '.config/nvim/init.lua': (secret) => `vim.env.OPENAI_API_KEY = "${secret}"\n`,
  '.cargo/git/db/x-0123/config': (secret) => `[remote "o"]\n\turl = https://oauth2:${secret}@git.example/x\n`,
  '.gradle/gradle.properties.bak': (secret) => `mavenPassword=${secret}\n`,
};

export const LOG_INS_IN_SETTINGS: Probe = {
  id: 'files/log-ins-in-settings',
  title: 'log-ins among settings that programs need, of any program',
  gives: 'what these tokens and passwords open',
  planted: `log-ins in ${Object.keys(SETTINGS)
    .map((place) => `~/${place}`)
    .join(', ')}`,
  tried: 'reading them',
  reference: attack('T1552/001'),
  promise: 'credentials',
  plant: (scene: Scene) => {
    for (const [place, text] of Object.entries(SETTINGS)) scene.file(place, text(scene.canary));
  },
  trial: () => ({ sh: `cd; cat ${Object.keys(SETTINGS).join(' ')}` }),
};
