import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON } from '../support/escape-off.ts';
import { OWN_BLOCK } from '../support/escape-probes.ts';

// They name files that the C library reads; each value leads somewhere of the attacker's choice.
wayOut('values of LANG, TZ and TERM that name files', {
  env: ({ canary }) => ({
    LANG: `../../${canary}`,
    LC_ALL: `/tmp/${canary}`,
    LC_MESSAGES: `%n${canary}`,
    TZ: `/etc/${canary}`,
    TERM: `../${canary}`,
  }),
  probe: () => ({ python: OWN_BLOCK }),
  off: WITHOUT_CORDON,
});

wayOut('a value that a shell would take for a function', {
  env: ({ canary }) => ({ 'BASH_FUNC_ls%%': `() { echo ${canary}; }`, LC_ALL: `() { echo ${canary}; }` }),
  flags: ['--base', 'all'],
  probe: () => ({ python: OWN_BLOCK }),
  off: WITHOUT_CORDON,
});
