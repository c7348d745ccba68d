import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON, withFlags } from '../support/escape-off.ts';
import { OWN_BLOCK, withBlock } from '../support/escape-probes.ts';

wayOut('a denied variable that is in the environment twice', {
  starter: ({ canary }) => withBlock(`API_TOKEN=${canary}`, 'OTHER=1', `API_TOKEN=${canary}-again`),
  flags: ['--base', 'all', '--deny', 'API_TOKEN'],
  probe: () => ({ python: OWN_BLOCK }),
  off: withFlags('--deny', '--base', 'all'),
});

wayOut('a second value behind an allowed name', {
  starter: ({ canary }) => withBlock('GREETING=hello', `GREETING=${canary}`),
  flags: ['--allow', 'GREETING'],
  probe: () => ({ python: OWN_BLOCK }),
  off: WITHOUT_CORDON,
});
