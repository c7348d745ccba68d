import type { ProfileData } from '../profile/schema.ts';

/** Names instead of NPM_CONFIG_*, which would admit registry credentials. */
export const NODE_DEV: ProfileData = {
  meta: {
    name: 'node-dev',
    description: 'Node.js work: version managers and package managers, no registry credentials',
  },
  extends: 'default',
  environment: {
    allow_vars: [
      ...['NODE_ENV', 'NVM_DIR', 'NVM_BIN', 'NVM_INC', 'VOLTA_HOME', 'FNM_DIR', 'FNM_MULTISHELL_PATH'],
      ...['PNPM_HOME', 'COREPACK_HOME', 'BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL'],
      ...['NPM_CONFIG_REGISTRY', 'NPM_CONFIG_CACHE', 'NPM_CONFIG_PREFIX', 'NPM_CONFIG_LOGLEVEL', 'CI'],
    ],
  },
};
