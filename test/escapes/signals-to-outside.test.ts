import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut('sending a signal to a process of the user by its number', {
  plant: async (scene) => scene.file('pid', String((await scene.process()).pid)),
  probe: ({ home }) => ({
    sh: `pid=$(cat ${home}/pid); kill -0 $pid && echo LEAKED; kill -USR2 $pid && echo LEAKED; kill -KILL $pid`,
  }),
  off: FILTER,
});
