import type { Probe } from '../../probe.ts';
import { GIT_VARIABLES } from './git.ts';
import { LANGUAGES } from './languages.ts';
import { LIBRARIES } from './loader.ts';
import { PLANTED_PROGRAMS } from './planted.ts';
import { PYTHON_VARIABLES } from './python.ts';
import { SHELLS } from './shells.ts';
import { TOOLS } from './tools.ts';

export const INJECTION: readonly Probe[] = [
  ...LIBRARIES,
  ...SHELLS,
  ...PYTHON_VARIABLES,
  ...LANGUAGES,
  ...GIT_VARIABLES,
  ...TOOLS,
  PLANTED_PROGRAMS,
];
