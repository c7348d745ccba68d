import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';
import { MOVED_OWN_FOLDERS } from '../files/own.ts';
import { planting } from './planting.ts';

const POLICY = '.config/cordon/profiles/mine.toml';
const AUDIT = '.local/state/cordon/audit.jsonl';
const SHIM = '.local/share/cordon/bin/tool';

const COMMON = {
  gives: 'the next command starts with the policy that this one wrote',
  reference: attack('T1562/001'),
  promise: 'own-files',
} as const;

const RENAME = (canary: string) => `
cd ~
echo '${canary}' >> ${POLICY}
mv ${POLICY} old; mv .config/cordon/profiles old; mv .config/cordon old; mv .config old
mkdir -p .config/cordon/profiles && echo '${canary}' > ${POLICY}
cd / && mv "$HOME" "$HOME.old" && mkdir -p ~/.config/cordon/profiles && echo '${canary}' > ~/${POLICY}
`;

const isReplaced = ({ home, canary }: Scene) =>
  [home, `${home}.old`].some((at) => {
    const path = `${at}/${POLICY}`;
    return existsSync(path) && readFileSync(path, 'utf8').includes(canary);
  });

export const OWN_POLICIES: Probe = {
  id: 'planting/own-policies',
  title: 'replacing a policy by renaming a folder above it',
  planted: `~/${POLICY}`,
  tried: 'appending, and moving the file, each folder above it and the home away',
  ...COMMON,
  plant: (scene) => {
    scene.file(POLICY, '# mine\n');
    scene.atEnd(() => rmSync(`${scene.home}.old`, { recursive: true, force: true }));
  },
  trial: ({ canary }) => ({ sh: RENAME(canary) }),
  worked: isReplaced,
};

export const ABSENT_OWN_POLICIES: Probe = {
  id: 'planting/absent-own-policies',
  title: 'writing a policy where there was none',
  planted: 'nothing',
  tried: 'writing ~/.config/cordon/cordon.toml, a profile and secrets.yaml',
  ...COMMON,
  ...planting({ places: ['.config/cordon/cordon.toml', POLICY, '.config/cordon/secrets.yaml'] }),
};

export const OWN_SHIMS: Probe = {
  id: 'planting/own-shims',
  title: "replacing one of Cordon's shims",
  planted: `~/${SHIM}`,
  tried: 'appending to it, moving it and the folders above away, and writing another',
  ...COMMON,
  gives: 'a tool that was meant to be held runs as the command wants it',
  ...planting({ existing: [SHIM], places: [SHIM, '.local/share/cordon/bin/ls'] }),
  trial: ({ canary }) => ({
    sh: `cd ~; echo ${canary} >> ${SHIM}; echo ${canary} > .local/share/cordon/bin/ls
mv ${SHIM} old; mv .local/share/cordon/bin old; mv .local/share/cordon old; mv .local/share old; mv .local old
mkdir -p .local/share/cordon/bin && echo ${canary} > ${SHIM}`,
  }),
};

const isForged = (scene: Scene) => {
  const records = existsSync(scene.path(AUDIT)) ? readFileSync(scene.path(AUDIT), 'utf8') : '';
  return records.includes(scene.canary) || !records.includes('"mine"');
};

export const FORGED_RECORDS: Probe = {
  id: 'planting/own-records',
  title: 'changing the record of launches',
  planted: `~/${AUDIT}`,
  tried: 'appending to it, removing it, and putting another folder in its place',
  ...COMMON,
  gives: 'nobody can tell afterwards what was started',
  reference: attack('T1070'),
  plant: (scene) => scene.file(AUDIT, '{"mine":true}\n'),
  trial: ({ home, canary }) => ({
    sh: `cd ${home}; echo ${canary} >> ${AUDIT}; rm -f ${AUDIT}; mv .local/state x && mkdir -p .local/state/cordon && echo ${canary} > ${AUDIT}`,
  }),
  worked: isForged,
};

const USUAL = ['.config/cordon/cordon.toml', POLICY, SHIM];

const leftBehind = (settings: keyof typeof MOVED_OWN_FOLDERS, named: string): Probe => ({
  id: `planting/own-files-left-by-${settings}`,
  title: `replacing policies and shims at their usual places while ${named}`,
  planted: `~/${USUAL.join(', ~/')}, and an empty folder that the variables name`,
  tried: 'appending to each, and writing another shim',
  ...COMMON,
  ...planting({
    plant: (scene) => scene.folder('elsewhere', 0o700),
    existing: USUAL,
    places: [...USUAL, '.local/share/cordon/bin/ls'],
  }),
  env: MOVED_OWN_FOLDERS[settings],
});

export const OWN_FILES_LEFT_BEHIND: readonly Probe[] = [
  leftBehind('cordon-home', 'CORDON_HOME names another'),
  leftBehind('xdg', 'the variables of XDG name others'),
];
