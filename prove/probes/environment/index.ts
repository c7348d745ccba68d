import type { Probe } from '../../probe.ts';
import { DISGUISED, ENCODED, NO_NAMES, ODD_NAMES, SECOND_VALUE, TWICE } from './disguised.ts';
import { BY_NAME } from './secrets.ts';
import { FUNCTIONS, LOCALE } from './steering.ts';

export const ENVIRONMENT: readonly Probe[] = [
  ...BY_NAME,
  ...DISGUISED,
  ...[ENCODED, TWICE, SECOND_VALUE, ODD_NAMES, NO_NAMES],
  ...[LOCALE, FUNCTIONS],
];
