import { ENV_FILES_OF_OTHERS, SETTINGS_WITH_PASSWORDS } from '../../src/prove/probes/files/projects.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(ENV_FILES_OF_OTHERS, { off: FS_ALL });
wayOut(SETTINGS_WITH_PASSWORDS, { off: FS_ALL });
