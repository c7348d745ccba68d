import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readStartupFiles } from '../../../src/launch/startup-files.ts';
import { standIns } from '../../../src/plan/startup.ts';
import type { StartupFile, StartupPolicy } from '../../../src/plan/startup-file.ts';

const PASSED = /^(?:PATH|HOME|LANG|LC_\w+)$/;

const POLICY: StartupPolicy = { passes: (name) => PASSED.test(name), drops: false, holdsDropped: () => false };

/** A home with these files; what is absolute stands where it says. */
export function homeWith(files: Readonly<Record<string, string>>): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'cordon-startup-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, 'latin1');
  }
  return home;
}

/** What becomes of the files of a home, by the name each has there. */
export function examined(
  home: string,
  policy = POLICY,
  more: { zdotdir?: string; config?: string; named?: string[]; programs?: string[]; root?: string } = {},
): Map<string, StartupFile> {
  const files = standIns(
    readStartupFiles({ homes: [home], named: [], workspace: join(home, 'work'), ...more }).texts,
    policy,
  );
  return new Map(
    files.filter(({ path }) => path.startsWith(home)).map((file) => [file.path.slice(home.length + 1), file]),
  );
}

/** What a shell inside would read in the place of one file: the file itself when nothing is wrong with it. */
export function copyOf(text: string, name = '.bashrc', policy = POLICY): string {
  return examined(homeWith({ [name]: text }), policy).get(name)?.text ?? text;
}
