import { symlinkSync } from 'node:fs';
import type { Probe } from '../../probe.ts';

const LINKS = ['.claude.json', '.codex', 'work/data', 'work/.venv'];

export const THROUGH_LINKS: Probe = {
  id: 'files/through-links',
  title: 'credentials through links that an earlier command left behind',
  gives: 'the credential, where a launcher follows the link when it shows what it stands for',
  planted: `~/.ssh/id_rsa, and links to ~/.ssh at ${LINKS.map((link) => `~/${link}`).join(', ')}`,
  tried: 'reading the key through each',
  reference: 'https://cwe.mitre.org/data/definitions/59.html',
  promise: 'credentials',
  plant: (scene) => {
    const key = scene.file('.ssh/id_rsa');
    for (const link of LINKS) symlinkSync(key.slice(0, -'/id_rsa'.length), scene.path(link));
  },
  trial: () => ({ sh: `cd ~; cat ${LINKS.map((link) => `${link}/id_rsa`).join(' ')}` }),
};
