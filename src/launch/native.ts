import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The launcher beside the bundle, or the one that came with the package for this kind of machine, where npm ran no install script. */
export function nativeLauncher(): string | undefined {
  const places = ['native', `prebuilt/${process.platform}-${process.arch}`];
  return places.map((place) => fileURLToPath(new URL(`${place}/cordon-launch`, import.meta.url))).find(isRunnable);
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
