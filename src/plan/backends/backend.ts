import type { FsPlan } from '../filesystem/index.ts';
import type { LaunchPlan } from '../plan.ts';

/** How the command is held, whether it is started once or through a shim. */
export interface Containment extends Pick<LaunchPlan, 'isolation' | 'explicit' | 'bwrap' | 'sandbox' | 'arch'> {
  readonly limits?: LaunchPlan['limits'];
  readonly supervise: boolean;
  readonly abstractSockets: 'cut off' | 'as outside';
  readonly placeholders: FsPlan['placeholders'];
}

/** A way to hold a command, as lines of the plan (B9). A container engine would be a third beside filter and bubblewrap. */
export interface Backend {
  readonly name: 'filter' | 'bubblewrap' | 'container';
  lines(held: Containment): string[];
}

export const supervision = ({ supervise }: Containment) => (supervise ? ['supervise'] : []);
