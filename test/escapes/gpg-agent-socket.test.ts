import { GPG_AGENT } from '../../src/prove/probes/authority/keys.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(GPG_AGENT, { off: FS_ALL });
