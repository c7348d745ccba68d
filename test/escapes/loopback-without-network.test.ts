import { LOOPBACK } from '../../src/prove/probes/network/loopback.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_NETWORK, withPlan } from '../support/escape-off.ts';

wayOut(LOOPBACK, { flags: ['--net', 'off'], off: withPlan('the network namespace', HOST_NETWORK) });
