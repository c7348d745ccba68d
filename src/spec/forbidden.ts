import { showName } from '../decide/guard/index.ts';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';

export interface ForbiddenEntry {
  readonly name: string;
  readonly reason: string;
}

/** A spec that would carry a credential. It names the variables, never a value. */
export class SandboxSpecForbidden extends CordonError {
  readonly names: readonly string[];

  constructor(entries: readonly ForbiddenEntry[], where: string, hint: string) {
    const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
    const listed = sorted.map(({ name, reason }) => `${showName(bytesOfText(name))} (${reason})`).join(', ');
    super('SandboxSpecForbidden', `a sandbox spec may not hold ${listed}`, { where, hint });
    this.name = 'SandboxSpecForbidden';
    this.names = Object.freeze([...new Set(sorted.map(({ name }) => name))]);
  }
}
