import { examineStartup, type StartupFile, type StartupPolicy } from '../startup/index.ts';
import type { Collection } from './collect.ts';
import type { StartupNote } from './types.ts';

const WHY = 'shell start-up files';

/** Shells inside read the very files where people export their keys: what the policy drops does not come back through them. */
export function cleanStartupFiles(into: Collection, workspace: string, policy: StartupPolicy): StartupNote[] {
  const { homes, disk, facts } = into;
  const real = (path: string | undefined) => (path === undefined ? undefined : disk.existing(path)?.path);
  const files = examineStartup(
    { homes, zdotdir: real(facts.zdotdir), config: real(facts.moved['.config']), named: facts.shellFiles, workspace },
    policy,
  );
  for (const file of files) cover(into, file);
  const notes = files.flatMap((file) => file.notes);
  // Files of the system are the same for everybody, and nobody wants to hear of them at every start.
  for (const { file, line, saying } of notes.filter((note) => note.hidden && note.file.startsWith('~')))
    into.notes.add(`${file}:${line} ${saying}`);
  return notes;
}

function cover(into: Collection, { path, text }: StartupFile): void {
  const common = { path, kind: 'file', speaker: 'preset' } as const;
  if (text === '')
    into.covers.push({ ...common, access: 'hidden', why: `${WHY} that would bring back what the policy drops` });
  else into.covers.push({ ...common, access: 'cleaned', why: `${WHY}, without what the policy drops`, text });
}
