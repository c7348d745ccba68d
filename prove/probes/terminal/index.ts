import type { Probe } from '../../probe.ts';
import { CLIPBOARD, READING_OTHERS, WRITING_TO_OTHERS } from './others.ts';
import { STAYING, TYPING } from './typing.ts';

export const TERMINAL: readonly Probe[] = [TYPING, STAYING, READING_OTHERS, WRITING_TO_OTHERS, CLIPBOARD];
