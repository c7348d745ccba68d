import { PROCESS } from '../../src/prove/probes/descriptors/channels.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE, WITHOUT_CORDON } from '../support/escape-off.ts';

// For an ordinary user bubblewrap's user namespace alone keeps other processes closed.
wayOut(PROCESS, { off: { root: BUBBLEWRAP_ALONE, 'cordon-test': WITHOUT_CORDON } });
