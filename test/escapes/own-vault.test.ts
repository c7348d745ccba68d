import { OWN_RECORDS, OWN_VAULT } from '../../src/prove/probes/files/own.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

for (const preset of ['all', 'guarded', 'workspace', 'minimal'])
  wayOut(
    { ...OWN_VAULT, title: `${OWN_VAULT.title}, with the preset ${preset}` },
    { flags: ['--fs', preset], off: FILTER },
  );

wayOut(OWN_RECORDS, { flags: ['--fs', 'all'], off: FILTER });
