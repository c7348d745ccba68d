import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The launcher built with this package: dist/native/cordon-launch beside the bundle. */
export function nativeLauncher(): string | undefined {
  const path = fileURLToPath(new URL('native/cordon-launch', import.meta.url));
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}
