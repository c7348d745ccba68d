import { bytesOfText } from '../../host/bytes.ts';
import { CONTROL_VARIABLES } from '../../host/control.ts';
import { isRefusedTarget } from '../../policy/injection.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why no sandbox can get a variable of this name (F8); completes "NAME …". */
export function sandboxedNameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'is no name of a variable';
  if ((CONTROL_VARIABLES as readonly string[]).includes(name.toUpperCase())) return "is one of Cordon's own variables";
  return isRefusedTarget(bytesOfText(name)) ? 'can make programs run other code' : undefined;
}
