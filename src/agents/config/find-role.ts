import { CordonError } from '../../host/errors.ts';
import { didYouMean } from '../../policy/profile/shape.ts';
import type { AgentConfig, Role } from './tables.ts';

export function findRole(name: string, { roles, file }: AgentConfig): Role {
  const found = roles.get(name);
  if (found !== undefined) return found;
  const known = [...roles.keys()];
  const hint = known.length === 0 ? `add [roles.${name}] to cordon.toml` : `known: ${known.join(', ')}`;
  throw new CordonError('role', `there is no role '${name}'`, { where: file, hint: didYouMean(name, known) ?? hint });
}
