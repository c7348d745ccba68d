import type { Bytes } from '../../host/bytes.ts';
import { type Copies, NO_COPIES, type PlaceFacts, pathsOf } from '../places/index.ts';
import type { LeftOut } from './clean.ts';
import { Disk } from './disk.ts';
import { examineStartup, type StartupFile, type StartupPolicy } from './examine.ts';

/** What a start-up file loses, and where; never a value. */
export interface StartupNote {
  readonly path: string;
  /** As the user knows it, `~/.bashrc`. */
  readonly file: string;
  readonly line: number;
  /** The variable; empty where there is none to tell. */
  readonly name: Bytes;
  readonly saying: string;
  readonly hidden: boolean;
}

export interface StartupCopies {
  readonly files: Copies;
  readonly notes: readonly StartupNote[];
}

/** Shells inside read the very files where people export their keys: what the policy drops does not come back through them. */
export function startupCopies(facts: PlaceFacts, workspace: string, policy: StartupPolicy | undefined): StartupCopies {
  if (policy === undefined) return { files: NO_COPIES, notes: [] };
  const disk = new Disk();
  const real = (path: string) => disk.existing(path)?.path;
  const files = examineStartup(
    {
      disk,
      homes: [...new Set(facts.homes.flatMap((home) => real(home) ?? []))],
      zdotdir: facts.zdotdir === undefined ? undefined : real(facts.zdotdir),
      named: facts.shellFiles,
      workspace: real(workspace) ?? workspace,
    },
    policy,
  );
  return {
    files: {
      copies: files.flatMap((file) =>
        'copy' in file ? pathsOf([file.path]).map((path) => ({ path, text: file.copy.text as Bytes })) : [],
      ),
      absent: pathsOf(files.flatMap((file) => ('problem' in file ? [file.path] : []))),
    },
    notes: files.flatMap(notesOf),
  };
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
