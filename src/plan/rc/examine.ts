import type { Bytes } from '../../host/bytes.ts';
import { type Copy, cleanCopy } from './clean.ts';
import { exportedNames, rangesOfExportAll, unexplainedExports } from './contents.ts';
import { Gathering, type Reading, type Surroundings } from './gathering.ts';
import { lineOf, NotUnderstood } from './syntax/index.ts';
import type { Ground } from './verdicts.ts';

export interface StartupPolicy extends Pick<Ground, 'passes'> {
  /** Where a value of the parent stands that is dropped and looks like a credential: it must not be in a start-up file either. */
  readonly secretIn: (text: string) => number | undefined;
}

/** What becomes of one start-up file: a copy without some of it, or nothing at all. Files that may stay are not listed. */
export type StartupFile =
  | { readonly path: string; readonly shown: string; readonly copy: Copy }
  | { readonly path: string; readonly shown: string; readonly line: number; readonly problem: string };

/** Reads the start-up files of bash and zsh and whatever they take in, and says what must not be seen of them. */
export function examineStartup(where: Surroundings, policy: StartupPolicy): StartupFile[] {
  const readings = new Gathering(where).readings();
  const scripts = readings.flatMap(({ script }) => script ?? []);
  const ground = { passes: policy.passes, exported: new Set(scripts.flatMap(exportedNames)) };
  const files = readings.map((reading) => ({ reading, outcome: cleaned(reading, ground) }));
  const leftovers = new Leftovers(
    policy.secretIn,
    files.flatMap(({ outcome }) => ('secrets' in outcome ? outcome.secrets : [])),
    unexplainedExports(scripts).filter((name) => !policy.passes(name as Bytes, '' as Bytes)),
  );
  return files.flatMap(({ reading: { path, shown }, outcome }): StartupFile[] => {
    const problem = 'problem' in outcome ? outcome : leftovers.in(outcome.text);
    if (problem !== undefined) return [{ path, shown, ...problem }];
    return 'leftOut' in outcome && outcome.leftOut.length > 0 ? [{ path, shown, copy: outcome }] : [];
  });
}

interface Problem {
  readonly line: number;
  readonly problem: string;
}

function cleaned({ script, text, problem, allExported }: Reading, ground: Ground): Copy | Problem {
  try {
    if (script === undefined) throw problem;
    const all = { from: 0, to: text.length + 1 };
    return cleanCopy(script, ground, allExported ? [all] : rangesOfExportAll(script));
  } catch (error) {
    if (error instanceof NotUnderstood) return { line: lineOf(text, error.at), problem: error.message };
    throw error;
  }
}

/** What must not stand in any copy: the values of what was left out, and names that get their value in a way that wasn't seen. */
class Leftovers {
  readonly #secretIn: StartupPolicy['secretIn'];
  readonly #secrets: readonly string[];
  readonly #names: readonly string[];

  constructor(secretIn: StartupPolicy['secretIn'], secrets: readonly string[], names: readonly string[]) {
    this.#secretIn = secretIn;
    this.#secrets = [...new Set(secrets)];
    this.#names = [...new Set(names)];
  }

  in(text: string): Problem | undefined {
    const value = this.#secretIn(text) ?? this.#secrets.map((secret) => text.indexOf(secret)).find((at) => at >= 0);
    if (value !== undefined)
      return { line: lineOf(text, value), problem: 'the value of a variable that is dropped stands here too' };
    for (const name of this.#names) {
      const at = text.search(new RegExp(`(?<![\\w$]|\\$\\{)${name}(?!\\w)|\\$\\{${name}:?=`));
      if (at >= 0) return { line: lineOf(text, at), problem: `where ${name} gets its value is unclear` };
    }
    return undefined;
  }
}
