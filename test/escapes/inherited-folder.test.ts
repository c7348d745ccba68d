import { FOLDER, PROC_FOLDER } from '../../src/prove/probes/descriptors/files.ts';
import { wayOut } from '../support/escape.ts';
import { BUBBLEWRAP_ALONE, WITHOUT_CORDON } from '../support/escape-off.ts';

wayOut(FOLDER, { off: BUBBLEWRAP_ALONE });
// For an ordinary user bubblewrap's user namespace alone keeps the environments of others closed.
wayOut(PROC_FOLDER, { off: { root: BUBBLEWRAP_ALONE, 'cordon-test': WITHOUT_CORDON } });
