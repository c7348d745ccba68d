import { wayOut } from '../support/escape.ts';
import { WITHOUT_CORDON, withFlags } from '../support/escape-off.ts';
import { OWN_BLOCK, withBlock } from '../support/escape-probes.ts';

const named = (name: Buffer | string, value: string) => Buffer.concat([Buffer.from(name), Buffer.from(`=${value}`)]);

wayOut('names that are in no encoding, or hold control bytes', {
  starter: ({ canary }) =>
    withBlock(
      named(Buffer.from('ff fe c3'.replaceAll(' ', ''), 'hex'), canary),
      named('A\nPATH', canary),
      named('\x1b[2J', canary),
    ),
  probe: () => ({ python: OWN_BLOCK }),
  off: withFlags('the base os-common', '--base', 'all'),
});

wayOut('entries without a name or without a value', {
  starter: ({ canary }) => withBlock(`=${canary}`, `PATH ${canary}`, `=PATH=${canary}`, canary),
  flags: ['--base', 'all'],
  probe: () => ({ python: OWN_BLOCK }),
  off: WITHOUT_CORDON,
});
