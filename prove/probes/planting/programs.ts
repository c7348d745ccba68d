import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { lacking } from '../installed.ts';
import { planting } from './planting.ts';

const COMMON = {
  gives: 'code that runs with everything the user has, when they next type the name of a program',
  reference: attack('T1574/007'),
  promise: 'planting',
} as const;

export const LOCAL_BIN: Probe = {
  id: 'planting/local-bin',
  title: 'planting a program that the shell finds by its name',
  planted: '~/bin/tool; no ~/.local/bin',
  tried: 'writing ~/.local/bin/ls, ~/bin/ls and over ~/bin/tool',
  ...COMMON,
  ...planting({ existing: ['bin/tool'], places: ['.local/bin/ls', 'bin/ls', 'bin/tool'] }),
};

export const SEARCH_PATH: Probe = {
  id: 'planting/search-path',
  title: 'planting a program in a folder that PATH names',
  planted: '~/go/bin with a program in it, and ~/.cargo/bin which is not there, both on PATH',
  tried: 'writing programs there',
  ...COMMON,
  ...planting({ existing: ['go/bin/tool'], places: ['go/bin/node', 'go/bin/tool', '.cargo/bin/git'] }),
  env: ({ home }) => ({ PATH: `${home}/go/bin:${home}/.cargo/bin:/usr/local/bin:/usr/bin:/bin` }),
};

export const VERSION_SHIMS: Probe = {
  id: 'planting/version-shims',
  title: 'planting a program among the shims of a version manager',
  planted: '~/.asdf/shims/node and ~/.local/share/mise/shims/node',
  tried: 'writing over them',
  ...COMMON,
  ...planting({
    existing: ['.asdf/shims/node', '.local/share/mise/shims/node'],
    places: ['.asdf/shims/node', '.local/share/mise/shims/node'],
  }),
};

export const DOCKER_PLUGINS: Probe = {
  id: 'planting/docker-plugins',
  title: 'planting a plug-in that Docker runs by itself',
  planted: 'nothing',
  tried: 'writing ~/.docker/cli-plugins/docker-compose',
  ...COMMON,
  reference: 'https://docs.docker.com/engine/extend/cli_plugins/',
  inapplicable: () => lacking('docker'),
  ...planting({ places: ['.docker/cli-plugins/docker-compose', '.docker/config.json'] }),
};

export const EXTENSIONS: Probe = {
  id: 'planting/extensions',
  title: 'planting extensions and aliases of command lines: gh, Helm, kubectl',
  planted: 'nothing',
  tried: 'writing ~/.local/share/gh/extensions, ~/.config/gh/config.yml and ~/.local/share/helm/plugins',
  ...COMMON,
  reference: 'https://cli.github.com/manual/gh_extension',
  ...planting({
    places: [
      '.local/share/gh/extensions/gh-pr/gh-pr',
      '.config/gh/config.yml',
      '.local/share/helm/plugins/x/plugin.yaml',
    ],
  }),
};

/** One folder for each version of Python. */
function hasModule(scene: Scene): boolean {
  const versions = scene.path('.local/lib');
  const modules = (existsSync(versions) ? readdirSync(versions) : []).map(
    (version) => `${versions}/${version}/site-packages/usercustomize.py`,
  );
  return modules.some((module) => existsSync(module) && readFileSync(module, 'utf8').includes(scene.canary));
}

export const USER_SITE: Probe = {
  id: 'planting/user-site',
  title: "planting a module in Python's folder of the user",
  gives: 'code that runs at the start of every Python program of the user',
  planted: 'nothing',
  tried: 'writing usercustomize.py to the folder that python3 -m site names',
  reference: 'https://docs.python.org/3/library/site.html#module-usercustomize',
  promise: 'planting',
  trial: ({ canary }) => ({
    sh: `d=$(python3 -m site --user-site); mkdir -p "$d" && echo '# ${canary}' > "$d/usercustomize.py"`,
  }),
  worked: hasModule,
};
