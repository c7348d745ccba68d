import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A program of this folder with the packages that it uses, in one file: the command inside may not be able to read the checkout. */
export async function bundledInto(folder: string, name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['pg-native'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    write: false,
    logLevel: 'error',
  });
  const file = join(folder, name);
  writeFileSync(file, outputFiles[0]?.contents ?? '');
  return file;
}
