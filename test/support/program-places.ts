import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { trustedFolder } from './trusted-folder.ts';

interface ProgramPlace {
  /** Below the home. */
  readonly folder: string;
  /** A folder around it, or itself, that is a repository. */
  readonly repository?: string;
}

/** Folders of PATH in which no command can have put a program. */
export const INSTALLED_PLACES: readonly ProgramPlace[] = [
  { folder: '.local/bin' },
  { folder: 'bin' },
  { folder: 'go/bin' },
  { folder: '.cargo/bin' },
  { folder: '.npm-global/bin' },
  { folder: '.local/share/pipx/venvs/tool/bin' },
  { folder: '.nvm/versions/node/v22/bin', repository: '.nvm' },
  { folder: '.pyenv/shims', repository: '.pyenv' },
];

/** Those in which a command of another project, or of the same earlier, can. */
export const PROJECT_PLACES: readonly ProgramPlace[] = [
  { folder: 'other/venv/bin' },
  { folder: 'other/venv/bin', repository: 'other' },
  { folder: 'code/other/node_modules/.bin' },
  { folder: '.dotfiles/bin', repository: '.dotfiles' },
  { folder: 'bin', repository: 'bin' },
  { folder: 'go/src/other/bin', repository: 'go/src/other' },
  { folder: '.local/src/other/bin', repository: '.local/src/other' },
  { folder: '.nvm/other/bin', repository: '.nvm/other' },
];

/** A home that has the place, and a project in it to work in. */
export function homeWith({ folder, repository }: ProgramPlace) {
  const home = trustedFolder('home');
  const [place, work] = [join(home, folder), join(home, 'code/app')];
  for (const made of [place, work]) mkdirSync(made, { recursive: true });
  if (repository !== undefined) mkdirSync(join(home, repository, '.git'));
  return { home, place, work };
}
