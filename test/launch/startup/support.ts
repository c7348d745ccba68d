import { chownSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freshHome, type Ran, runCordon } from '../../support/cordon.ts';
import { identityOf, type User } from '../../support/users.ts';

export type Files = Readonly<Record<string, string>>;

/** A home with these files, and a working folder beside them. */
export function homeWith(user: User, files: Files): string {
  const home = realpathSync(freshHome(user));
  const { uid, gid } = identityOf(user);
  for (const [name, text] of Object.entries({ 'work/.keep': '', ...files })) {
    const path = join(home, name);
    if (mkdirSync(dirname(path), { recursive: true }) !== undefined) chownSync(dirname(path), uid, gid);
    writeFileSync(path, text);
    chownSync(path, uid, gid);
  }
  return home;
}

export interface Inside extends Ran {
  /** What the shell exports once it has started, by name. */
  readonly env: ReadonlyMap<string, string>;
  /** Everything the command printed before that. */
  readonly said: string;
}

const END = '\n--- end ---\n';

/** Runs a script in a shell behind the barrier; `shell` with the flags that make it read its start-up files. */
export function inside(
  home: string,
  user: User,
  shell: readonly string[],
  script: string,
  flags: readonly string[] = [],
): Inside {
  const ran = runCordon(
    ['run', ...flags, '--', ...shell, '-c', `${script}\nprintf '${END.replaceAll('\n', '\\n')}'; /usr/bin/env -0`],
    {
      user,
      home,
      cwd: join(home, 'work'),
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, LANG: 'C' },
    },
  );
  const at = ran.stdout.lastIndexOf(END);
  if (at < 0) throw new Error(`the shell did not get to its end: ${JSON.stringify(ran)}`);
  const entries = ran.stdout
    .slice(at + END.length)
    .split('\0')
    .filter((entry) => entry !== '');
  return {
    ...ran,
    said: ran.stdout.slice(0, at),
    env: new Map(entries.map((entry) => entry.split(/=(.*)/s) as [string, string])),
  };
}

export const BASH = ['bash', '-l'] as const;
export const BASH_INTERACTIVE = ['bash', '-i'] as const;
export const ZSH = ['zsh', '-l'] as const;
export const ZSH_INTERACTIVE = ['zsh', '-i'] as const;
