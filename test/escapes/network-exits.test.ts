import { EXIT_DNS, EXIT_TCP } from '../../src/prove/probes/network/exits.ts';
import { wayOut } from '../support/escape.ts';
import { HOST_NETWORK, withPlan } from '../support/escape-off.ts';

const off = withPlan('the network namespace', HOST_NETWORK);

wayOut(EXIT_TCP, { flags: ['--net', 'off'], off });
wayOut(EXIT_DNS, { flags: ['--net', 'off'], off });
