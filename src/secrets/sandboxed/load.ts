import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CordonError } from '../../host/errors.ts';
import { readSecretsFile, type SandboxedVariable } from './file.ts';
import { checkUserName } from './user-name.ts';

export interface UserSecrets {
  /** One per name, in the order of the names; the user's own value where both files have one. */
  readonly variables: readonly SandboxedVariable[];
  readonly shared: SecretsCount;
  readonly own: SecretsCount;
  /** Files that look as if they were meant, and are not read. */
  readonly passedOver: readonly string[];
}

interface SecretsCount {
  readonly file: string;
  /** Undefined: there is no such file. */
  readonly count: number | undefined;
}

/** The global file and the user's own, read now; fresh objects each time. */
export function loadUserSecrets(config: string, user: string): UserSecrets {
  const globalFile = join(config, 'secrets.yaml');
  const ownFile = join(config, 'users', checkUserName(user), 'secrets.yaml');
  const shared = read(globalFile);
  const own = read(ownFile);
  const merged = new Map([...(shared ?? []), ...(own ?? [])].map((variable) => [variable.name, variable]));
  return {
    variables: [...merged.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    shared: { file: globalFile, count: shared?.length },
    own: { file: ownFile, count: own?.length },
    passedOver: [globalFile, ownFile].flatMap(lookAlikes),
  };
}

/** The other ending of YAML, and where Ag3ntum has them. */
function lookAlikes(file: string): string[] {
  const folder = dirname(file);
  const names = ['secrets.yml', 'ag3ntum/secrets.yaml', 'ag3ntum/secrets.yml'];
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

/** Files that this process has read before: one that is gone since must not quietly mean other values. */
const known = new Set<string>();

function read(path: string): readonly SandboxedVariable[] | undefined {
  const variables = readSecretsFile(path);
  if (variables !== undefined) known.add(path);
  if (variables === undefined && known.has(path)) throw gone(path);
  return variables;
}

function gone(path: string): CordonError {
  return new CordonError('secrets', 'the file was there for an earlier session and is gone', {
    where: path,
    hint: 'put it back; sandboxed_envs: {} says that there are none',
  });
}
