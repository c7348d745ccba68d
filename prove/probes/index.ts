import type { Probe } from '../probe.ts';
import { AUTHORITY } from './authority/index.ts';
import { BROKER } from './broker/index.ts';
import { DESCRIPTORS } from './descriptors/index.ts';
import { ENVIRONMENT } from './environment/index.ts';
import { FILES } from './files/index.ts';
import { INJECTION } from './injection/index.ts';
import { KERNEL } from './kernel/index.ts';
import { NETWORK } from './network/index.ts';
import { PLANTING } from './planting/index.ts';
import { PROCESSES } from './processes/index.ts';
import { REFILL } from './refill/index.ts';
import { TERMINAL } from './terminal/index.ts';

/** All ways, in the order of the matrix. */
export const PROBES: readonly Probe[] = [
  ...ENVIRONMENT,
  ...PROCESSES,
  ...DESCRIPTORS,
  ...AUTHORITY,
  ...FILES,
  ...TERMINAL,
  ...INJECTION,
  ...REFILL,
  ...NETWORK,
  ...BROKER,
  ...PLANTING,
  ...KERNEL,
];
