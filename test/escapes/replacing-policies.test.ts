import { OWN_POLICIES } from '../../src/prove/probes/planting/own.ts';
import { wayOut } from '../support/escape.ts';
import { noLine, withPlan } from '../support/escape-off.ts';

// In every preset: Cordon's own files are not the command's to write even where everything else is.
wayOut(OWN_POLICIES, {
  flags: ['--fs', 'all'],
  off: withPlan("the lines about Cordon's own files", noLine('keep-')),
});
