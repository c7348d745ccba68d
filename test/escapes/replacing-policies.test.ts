import { OWN_POLICIES } from '../../src/prove/probes/planting/own.ts';
import { wayOut } from '../support/escape.ts';
import { noMount, withPlan } from '../support/escape-off.ts';

// In every preset: Cordon's own files are not the command's to write even where everything else is.
wayOut(OWN_POLICIES, {
  flags: ['--fs', 'all'],
  off: withPlan(
    'the mounts in the home',
    noMount(({ home }) => `${home}/`),
    noMount(({ home }) => home),
  ),
});
