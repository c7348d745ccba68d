import { ABSTRACT_WITHOUT_NETWORK } from '../../src/prove/probes/network/loopback.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_NETWORK, NO_LANDLOCK, withPlan } from '../support/escape-off.ts';

wayOut(ABSTRACT_WITHOUT_NETWORK, {
  flags: ['--net', 'off'],
  off: withPlan('the network namespace and landlock-scope', NO_LANDLOCK, HOST_NETWORK),
});
