import { SET_USER_ID } from '../../src/prove/probes/kernel/set-user-id.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(SET_USER_ID, { off: FILTER });
