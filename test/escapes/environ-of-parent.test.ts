import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut('reading the environment of the parent from /proc', {
  env: ({ canary }) => ({ API_TOKEN: canary }),
  probe: () => ({
    sh: 'p=$(cut -d" " -f4 /proc/$PPID/stat); cat /proc/$PPID/environ /proc/$p/environ 2>/dev/null | tr "\\0" "\\n"',
  }),
  off: FILTER,
});
