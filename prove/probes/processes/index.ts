import type { Probe } from '../../probe.ts';
import { CORE_DUMPS } from './core-dumps.ts';
import {
  ENVIRON_BY_THREAD,
  ENVIRON_OF_ANCESTORS,
  ENVIRON_OF_LAUNCHER,
  ENVIRON_OF_OTHERS,
  ENVIRON_OF_PARENT,
} from './environ.ts';
import { INSPECTOR } from './inspector.ts';
import { COMMAND_LINES, OPEN_FILES, ROOT_AND_CWD } from './look.ts';
import { MEMORY, MEMORY_BY_CALL, MEMORY_WRITING } from './memory.ts';
import { SIGNALS, SIGNALS_TO_THE_GROUP } from './signals.ts';
import { TAKING_DESCRIPTORS, TRACING, TRACING_THE_PARENT } from './taking-hold.ts';

export const PROCESSES: readonly Probe[] = [
  ...[ENVIRON_OF_PARENT, ENVIRON_OF_ANCESTORS, ENVIRON_OF_LAUNCHER, ENVIRON_OF_OTHERS, ENVIRON_BY_THREAD],
  ...[COMMAND_LINES, OPEN_FILES, ROOT_AND_CWD],
  ...[MEMORY, MEMORY_BY_CALL, MEMORY_WRITING],
  ...[TRACING, TRACING_THE_PARENT, TAKING_DESCRIPTORS],
  ...[SIGNALS, SIGNALS_TO_THE_GROUP, INSPECTOR, CORE_DUMPS],
];
