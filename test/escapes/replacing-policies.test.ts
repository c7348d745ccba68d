import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wayOut } from '../support/escape.ts';
import { noMount, withPlan } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

const POLICY = '.config/cordon/profiles/mine.toml';

const RENAME = (canary: string) => `
cd ~
echo '${canary}' >> ${POLICY}
mv ${POLICY} old; mv .config/cordon/profiles old; mv .config/cordon old; mv .config old
mkdir -p .config/cordon/profiles && echo '${canary}' > ${POLICY}
cd / && mv ~ ~.old && mkdir -p ~/.config/cordon/profiles && echo '${canary}' > ~/${POLICY}
`;

const replaced = ({ home, canary }: Scene) =>
  [home, `${home}.old`].some((at) => {
    const path = join(at, POLICY);
    return existsSync(path) && readFileSync(path, 'utf8').includes(canary);
  });

// In every preset: Cordon's own files are not the command's to write even where everything else is.
wayOut('replacing a policy by renaming a folder above it', {
  plant: (scene) => scene.file(POLICY, '# mine\n'),
  flags: ['--fs', 'all'],
  probe: ({ canary }) => ({ sh: RENAME(canary) }),
  worked: replaced,
  off: withPlan(
    'the mounts in the home',
    noMount(({ home }) => `${home}/`),
    noMount(({ home }) => home),
  ),
});
