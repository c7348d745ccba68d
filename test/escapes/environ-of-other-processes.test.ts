import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut('reading the environment of any other process of the user', {
  plant: (scene) => scene.process(undefined, { API_TOKEN: scene.canary }),
  probe: () => ({ sh: 'cat /proc/[0-9]*/environ /proc/[0-9]*/task/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"' }),
  off: FILTER,
});
