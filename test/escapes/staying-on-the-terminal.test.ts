import { STAYING } from '../../src/prove/probes/terminal/typing.ts';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

wayOut(STAYING, { off: FILTER });
