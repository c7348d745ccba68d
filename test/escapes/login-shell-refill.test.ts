import { wayOut } from '../support/escape.ts';
import { noLine, withPlan } from '../support/escape-off.ts';

// Agents start login shells, which read the very files where people export their keys.
wayOut('a login shell that reads exported secrets', {
  plant: (scene) => {
    scene.file('.profile', '. ~/.bashrc\n');
    scene.file('.bashrc', `export DEPLOY_THING='${scene.canary}'\nalias ll='ls -l'\n`);
    scene.file('.zshenv', `export DEPLOY_THING="${scene.canary}"\n`);
  },
  probe: () => ({ sh: 'bash -lc env; bash -ic env; zsh -c env; cat ~/.bashrc ~/.zshenv' }),
  off: withPlan('the copies that stand in for start-up files', noLine('data ')),
});
