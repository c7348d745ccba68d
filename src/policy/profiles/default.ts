import { presetPatterns } from '../presets/presets.ts';
import type { ProfileData } from '../profile/schema.ts';

/** As a list, not as a base: so it adds to what it is combined with instead of taking its place. */
export const DEFAULT: ProfileData = {
  meta: { name: 'default', description: 'What most programs need: the same as no profile at all' },
  environment: { allow_vars: presetPatterns('os-common') },
};
