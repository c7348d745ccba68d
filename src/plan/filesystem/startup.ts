import type { Bytes } from '../../host/bytes.ts';
import type { LeftOut } from '../rc/clean.ts';
import { examineStartup, type StartupFile, type StartupPolicy } from '../rc/examine.ts';
import type { Collection } from './collect.ts';
import type { StartupNote } from './types.ts';

const WHY = 'shell start-up files';

/** Shells inside read the very files where people export their keys: what the policy drops does not come back through them. */
export function cleanStartupFiles(into: Collection, workspace: string, policy: StartupPolicy): StartupNote[] {
  const zdotdir = into.facts.zdotdir === undefined ? undefined : into.disk.existing(into.facts.zdotdir)?.path;
  const files = examineStartup(
    { disk: into.disk, homes: into.homes, zdotdir, named: into.facts.shellFiles, workspace },
    policy,
  );
  for (const file of files) cover(into, file);
  const notes = files.flatMap(notesOf);
  for (const { file, line, saying } of notes.filter(({ hidden }) => hidden))
    into.notes.add(`${file}:${line} ${saying}`);
  return notes;
}

function cover(into: Collection, file: StartupFile): void {
  const { path } = file;
  const common = { path, kind: 'file', speaker: 'preset' } as const;
  if ('copy' in file)
    into.covers.push({
      ...common,
      access: 'cleaned',
      why: `${WHY}, without what the policy drops`,
      text: file.copy.text as Bytes,
    });
  else into.covers.push({ ...common, access: 'hidden', why: `${WHY} that cannot be understood` });
}

function notesOf(file: StartupFile): StartupNote[] {
  const { path, shown } = file;
  if ('problem' in file)
    return [
      {
        path,
        file: shown,
        line: file.line,
        name: '' as Bytes,
        saying: `cannot be understood (${file.problem}): the whole file is hidden`,
        hidden: true,
      },
    ];
  return file.copy.leftOut.map((left) => ({
    path,
    file: shown,
    line: left.line,
    name: left.name as Bytes,
    saying: sayingOf(left),
    hidden: false,
  }));
}

function sayingOf({ name, what }: LeftOut): string {
  const subject = name === '' ? 'a credential' : name;
  switch (what) {
    case 'assignment':
      return `sets ${subject}: left out of the copy`;
    case 'export':
      return `exports ${name === '' ? 'names that only a run can tell' : name}: not exported in the copy`;
    case 'command':
      return `holds ${subject} in a command: left out of the copy`;
    case 'comment':
      return `holds ${subject} in a comment: left out of the copy`;
    case 'source':
      return 'takes in a file whose name only a run can tell: left out of the copy';
  }
}
