import { OF_THE_CALLER } from '../../src/prove/probes/descriptors/channels.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(OF_THE_CALLER, { off: FILTER });
