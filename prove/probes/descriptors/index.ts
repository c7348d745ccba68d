import type { Probe } from '../../probe.ts';
import { MEMORY_FILE, OF_THE_CALLER, PIPE, PROCESS, SOCKET } from './channels.ts';
import { BEYOND_1000, DELETED_FILE, FILE, FOLDER, GIVEN_TO_READ, PROC_FOLDER } from './files.ts';

export const DESCRIPTORS: readonly Probe[] = [
  ...[FILE, DELETED_FILE, FOLDER, PROC_FOLDER, BEYOND_1000, GIVEN_TO_READ],
  ...[MEMORY_FILE, PIPE, SOCKET, PROCESS, OF_THE_CALLER],
];
