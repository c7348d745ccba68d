import { LOGIN_SHELL_ALONE, SH_ENV, SH_LOGIN, ZSH } from '../../src/prove/probes/refill/shells.ts';
import {
  LOGIN_ENVIRONMENT,
  SESSION_ENVIRONMENT,
  TAKEN_IN,
  VERSION_MANAGER,
} from '../../src/prove/probes/refill/taken-in.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL, noLine, withPlan } from '../support/escape-off.ts';

const off = withPlan('the copies that stand in for start-up files', noLine('data '));

// Agents start login shells, which read the very files where people export their keys.
for (const probe of [LOGIN_SHELL_ALONE, SH_LOGIN, SH_ENV, ZSH, TAKEN_IN, VERSION_MANAGER]) wayOut(probe, { off });

// These are no shell's: they are not shown.
for (const probe of [SESSION_ENVIRONMENT, LOGIN_ENVIRONMENT]) wayOut(probe, { off: FS_ALL });
