import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';

const OWN = [
  '.config/cordon/secrets.yaml',
  '.config/cordon/identity.txt',
  '.config/cordon/vault.age',
  '.config/cordon/users/ada/secrets.yaml',
];

const RECORDS = ['.local/state/cordon/audit.jsonl'];

export const OWN_VAULT: Probe = {
  id: 'files/own-vault',
  title: "Cordon's own vault and secrets",
  gives: 'every credential that was ever given to Cordon to keep',
  planted: OWN.map((place) => `~/${place}`).join(', '),
  tried: 'reading them, and searching the whole home',
  reference: 'https://age-encryption.org/v1',
  promise: 'own-files',
  plant: (scene) => OWN.map((place) => scene.file(place)),
  trial: ({ home }) => ({ sh: `cat ${OWN.map((place) => `${home}/${place}`).join(' ')}; grep -rs canary ${home}` }),
};

export const OWN_RECORDS: Probe = {
  id: 'files/own-records',
  title: "reading Cordon's record of launches",
  gives: 'what was started where, with the names of its credentials',
  planted: RECORDS.map((place) => `~/${place}`).join(', '),
  tried: 'reading it',
  reference: 'https://www.freedesktop.org/wiki/Specifications/basedir-spec/',
  promise: 'own-files',
  plant: (scene) => RECORDS.map((place) => scene.file(place)),
  trial: ({ home }) => ({ sh: RECORDS.map((place) => `cat ${home}/${place}`).join('\n') }),
};

const ELSEWHERE = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];

/** Variables of this one launch that have Cordon keep its things in another place. */
export const MOVED_OWN_FOLDERS = {
  'cordon-home': (scene: Scene) => ({ CORDON_HOME: scene.path('elsewhere') }),
  xdg: (scene: Scene) => Object.fromEntries(ELSEWHERE.map((name) => [name, scene.path('elsewhere')])),
} as const;

const leftBehind = (settings: keyof typeof MOVED_OWN_FOLDERS, named: string): Probe => ({
  ...OWN_VAULT,
  id: `files/own-vault-left-by-${settings}`,
  title: `Cordon's own vault and records at their usual places while ${named}`,
  planted: `~/${[...OWN, ...RECORDS].join(', ~/')}, and an empty folder that the variables name`,
  plant: (scene) => {
    scene.folder('elsewhere', 0o700);
    for (const place of [...OWN, ...RECORDS]) scene.file(place);
  },
  env: MOVED_OWN_FOLDERS[settings],
});

export const OWN_VAULTS_LEFT_BEHIND: readonly Probe[] = [
  leftBehind('cordon-home', 'CORDON_HOME names another'),
  leftBehind('xdg', 'the variables of XDG name others'),
];
