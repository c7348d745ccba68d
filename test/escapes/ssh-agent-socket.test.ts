import { SSH_AGENT, SSH_AGENT_KEYS } from '../../src/prove/probes/authority/ssh.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

// The variable may pass by name: the socket stays out of reach all the same.
wayOut(SSH_AGENT, { flags: ['--allow', 'SSH_AUTH_SOCK'], off: FS_ALL });
wayOut(SSH_AGENT_KEYS, { flags: ['--allow', 'SSH_AUTH_SOCK'], off: FS_ALL });
