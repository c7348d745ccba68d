import type { ProfileData } from '../profile/schema.ts';

export const LOCKED: ProfileData = {
  meta: {
    name: 'locked',
    description: 'Code that is not trusted: nothing inherited, no network, a private home, the barrier or no start',
  },
  environment: { allow_vars: [] },
  filesystem: { preset: 'workspace' },
  network: { block: true },
  isolation: 'barrier',
};
