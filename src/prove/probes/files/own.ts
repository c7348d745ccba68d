import type { Probe } from '../../probe.ts';

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
