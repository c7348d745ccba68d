import type { Probe } from '../../probe.ts';
import { CLOUD_FILES } from './clouds.ts';
import { CODE_FILES } from './code.ts';
import { BEHIND_SYMLINKS, IN_MOVED_FOLDERS, RUNTIME_FOLDER, WHERE_VARIABLES_SAY } from './elsewhere.ts';
import { FORGOTTEN_FILES } from './forgotten.ts';
import { KEY_FILES } from './keys.ts';
import { MADE_MEANWHILE, REPLACED_MEANWHILE } from './later.ts';
import { LESS_KNOWN_FILES } from './less-known.ts';
import { THROUGH_LINKS } from './links.ts';
import { BEHIND_MANY_FOLDERS } from './many.ts';
import { OWN_RECORDS, OWN_VAULT, OWN_VAULTS_LEFT_BEHIND } from './own.ts';
import { PERSONAL_FILES } from './people.ts';
import {
  DEEP_ENV_FILES,
  ENV_FILES_OF_OTHERS,
  HARD_LINKS,
  OWN_ENV_FILE,
  OWN_HARD_LINKS,
  READABLE_SETTINGS,
  SETTINGS_WITH_PASSWORDS,
  UNLISTED_FILES,
} from './projects.ts';
import { LOG_INS_IN_SETTINGS } from './settings.ts';
import { KERBEROS_TICKETS, TEMPORARY_FILES } from './temporary.ts';

export const FILES: readonly Probe[] = [
  ...[...KEY_FILES, ...CLOUD_FILES, ...CODE_FILES, ...LESS_KNOWN_FILES, ...PERSONAL_FILES],
  ...[...FORGOTTEN_FILES, KERBEROS_TICKETS, TEMPORARY_FILES],
  ...[BEHIND_SYMLINKS, THROUGH_LINKS, WHERE_VARIABLES_SAY, IN_MOVED_FOLDERS, RUNTIME_FOLDER],
  ...[ENV_FILES_OF_OTHERS, DEEP_ENV_FILES, OWN_ENV_FILE, SETTINGS_WITH_PASSWORDS, READABLE_SETTINGS, UNLISTED_FILES],
  LOG_INS_IN_SETTINGS,
  BEHIND_MANY_FOLDERS,
  ...[HARD_LINKS, OWN_HARD_LINKS, REPLACED_MEANWHILE, MADE_MEANWHILE],
  ...[OWN_VAULT, OWN_RECORDS, ...OWN_VAULTS_LEFT_BEHIND],
];
