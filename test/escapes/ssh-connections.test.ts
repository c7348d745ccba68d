import { SSH_CONNECTIONS, SSH_CONNECTIONS_ELSEWHERE } from '../../src/prove/probes/authority/ssh.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

wayOut(SSH_CONNECTIONS, { off: FS_ALL });
wayOut(SSH_CONNECTIONS_ELSEWHERE, { off: FS_ALL });
