import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut('going around the masks through /proc/PID/root, cwd and fd', {
  plant: async (scene) => {
    scene.file('.ssh/id_rsa');
    await scene.process([
      '/bin/sh',
      '-c',
      `exec 9<${scene.home}/.ssh/id_rsa; cd ${scene.home}/.ssh; echo ready; read line`,
    ]);
  },
  probe: ({ home }) => ({
    sh: `for p in /proc/[0-9]*; do
      [ "$p" = /proc/$$ ] && continue
      cat $p/root${home}/.ssh/id_rsa $p/cwd/id_rsa $p/fd/9 $p/task/*/root${home}/.ssh/id_rsa 2>/dev/null
    done`,
  }),
  off: FILTER,
});
