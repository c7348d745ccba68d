import { ABSTRACT_SOCKETS } from '../../src/prove/probes/authority/others.ts';
import { wayOut } from '../support/escape.ts';
import { NO_LANDLOCK, withPlan } from '../support/escape-off.ts';

wayOut(ABSTRACT_SOCKETS, { off: withPlan('landlock-scope', NO_LANDLOCK) });
