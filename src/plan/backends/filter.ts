import { type Backend, supervision } from './backend.ts';

/** The sealed environment and nothing else: hygiene. */
export const filter: Backend = {
  name: 'filter',
  lines: (held) => ['isolation filter', ...supervision(held)],
};
