import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Bytes } from '../host/bytes.ts';
import type { PlaceFacts } from '../plan/places/index.ts';
import { bytesOfField } from '../plan/plan.ts';
import type { StartupPolicy } from '../plan/startup-file.ts';
import type { Policy } from '../policy/policy.ts';
import type { SettingsCopies } from './copies.ts';
import { lookAtProgram, lookedLines } from './keep.ts';
import { lookedThroughFile } from './kept-plans.ts';
import { isSameAnywhere, type StartupCopies, type StartupPlaces } from './startup-files.ts';
import { type LookedAt, Witness } from './witness.ts';

/** What came of looking through the start-up files of shells and the settings of programs. */
export interface LookedThrough {
  readonly startup: StartupCopies;
  readonly settings: Omit<SettingsCopies, 'looked'>;
}

/** With all that it hangs on. It holds no value: where one of the parent's stands in a file, nothing is kept. */
interface Kept {
  readonly of: string;
  readonly looked: LookedAt;
  readonly found: LookedThrough;
}

interface Question {
  readonly witness: Witness;
  readonly state: string;
  readonly policy: Policy;
  readonly facts: PlaceFacts;
  readonly places: StartupPlaces;
  readonly asked: StartupPolicy;
  readonly look: () => LookedThrough;
}

/**
 * Reading those files takes longer than the rest of a plan, and nearly always they are what they were. So what came of it is kept for
 * launches anywhere, the last one. Whether each file, folder and absence of one is as it was the front sees by its stamp, while Node makes
 * itself ready (native/src/kept.c).
 */
export function recalled(question: Question): LookedThrough {
  const { witness, state, policy, look } = question;
  // Where credentials come from is nobody's to read in another file.
  if (policy.credentials.length > 0 || policy.ssh !== undefined || policy.logIns !== undefined) return look();
  const of = whatDecides(question);
  const kept = keptIn(witness.handedOver);
  if (kept?.of === of) {
    witness.rely(kept.looked);
    if (isFor(question, kept.found)) return kept.found;
  }
  const { found, looked, incomparable } = witness.attend(() => lookWithProgram(look));
  const isWhole = incomparable === undefined && [...looked.keys()].every((path) => path.startsWith('/'));
  if (isWhole && isFor(question, found)) Witness.overlook(() => write(state, { of, looked, found }));
  return found;
}

/** Another Cordon may find something else. */
function lookWithProgram(look: Question['look']): LookedThrough {
  lookAtProgram();
  const {
    startup,
    settings: { copies, absent, notes },
  } = look();
  return { startup, settings: { copies, absent, notes } };
}

const isFor = ({ places, asked }: Question, { startup }: LookedThrough) => isSameAnywhere(startup, places, asked);

/** Who asks, about which variables and where; no value. In which folder is asked for by itself. */
function whatDecides({ policy, facts, places }: Question): string {
  const { set, network, session, files, warnings, origin, ...rest } = policy;
  const who = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.(), process.getgroups?.()];
  return JSON.stringify([who, rest, set.map(({ name }) => name), facts, { ...places, workspace: undefined }]);
}

/** A line for each path that was looked at, as in a plan that is kept, and one of JSON; all of it in ASCII but the bytes of paths. */
function textOf({ of, looked, found }: Kept): string {
  const json = JSON.stringify({ of, found }).replace(/[\x80-\uffff]/g, escaped);
  return [...lookedLines(looked), json, ''].join('\n');
}

const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

function keptIn(text: string): Kept | undefined {
  if (text === '') return undefined;
  const lines = text.split('\n');
  const looked = lines.slice(0, -2).map((line) => {
    const [, path = '', ...stamps] = line.split(' ');
    return [path.includes('\\') ? bytesOfField(path) : (path as Bytes), stamps] as const;
  });
  try {
    return { ...(JSON.parse(lines.at(-2) ?? '') as Omit<Kept, 'looked'>), looked: new Map(looked) };
  } catch {
    return undefined; // A disk may lose what lies in between.
  }
}

/** Where it cannot be written, each launch looks. */
function write(state: string, kept: Kept): void {
  const fresh = `${lookedThroughFile(state)}.${process.pid}`;
  try {
    writeFileSync(fresh, textOf(kept), { encoding: 'latin1', flag: 'wx', mode: 0o600 });
    renameSync(fresh, lookedThroughFile(state));
  } catch {
    rmSync(fresh, { force: true });
  }
}
