import { ABSENT_SSH_FILES, SSH_FILES } from '../../src/prove/probes/planting/session.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SSH_FILES, { off: FS_ALL });
wayOut(ABSENT_SSH_FILES, { off: FS_ALL });
