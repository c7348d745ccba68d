import type { Status } from '../../cell.ts';

/** From bad to harmless. */
export const STATUSES: readonly Status[] = ['leaked', 'open', 'blocked', 'not applicable'];

/** Told by a sign too: colours alone are not for everyone, nor for every printer. */
export const SIGNS: Readonly<Record<Status, string>> = { leaked: '✗', open: '○', blocked: '✓', 'not applicable': '–' };

export const className = (status: Status) => status.replace(' ', '-');
