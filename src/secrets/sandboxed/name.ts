import { bytesOfText } from '../../host/bytes.ts';
import { targetProblem } from '../../policy/presets/presets.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why no sandbox can get a variable of this name; completes "NAME …". */
export function sandboxedNameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a variable';
  return targetProblem(bytesOfText(name))?.replace(/^it /, '');
}
