import { extname, join } from 'node:path';
import { namesIn } from '../host/files.ts';
import { startOf } from './read.ts';

/** Where projects keep what they deploy. */
const FOLDERS = ['k8s', 'kubernetes', 'manifests', 'deploy', 'deployment', 'kustomize', '.k8s'];
const DEEPEST = 3;
const MOST = 200;

/** Manifests below such folders, by what is in them. Templates of Helm are no YAML before they are filled in. */
export function manifestFiles(workdir: string): string[] {
  return FOLDERS.flatMap((folder) => filesBelow(join(workdir, folder), DEEPEST))
    .filter(isManifest)
    .slice(0, MOST);
}

function filesBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return namesIn(folder)
    .toSorted()
    .filter((name) => name !== 'templates' && name !== 'node_modules')
    .flatMap((name) => {
      const path = join(folder, name);
      return /^\.ya?ml$/.test(extname(name)) ? [path] : filesBelow(path, depth - 1);
    });
}

function isManifest(path: string): boolean {
  const text = startOf(path)?.data.toString() ?? '';
  return /^apiVersion:/m.test(text) && /^kind:/m.test(text) && !text.includes('{{');
}
