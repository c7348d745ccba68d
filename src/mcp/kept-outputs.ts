import { createHash, randomBytes } from 'node:crypto';
import { CordonError } from '../host/errors.ts';
import { INSIDE } from '../plan/places/index.ts';
import { ownMark } from '../sessions/owner.ts';
import type { CallOptions, CallResult, Session } from '../sessions/types.ts';
import { OUTPUT_FOLDER } from './output-folder.ts';
import { pruneOutputs } from './prune-outputs.ts';
import type { Kept } from './report.ts';

type Start = (options: Pick<CallOptions, 'outputFile'>) => Promise<CallResult>;

/** The files of calls that run: these are not old, however many newer ones there are. */
const inUse = new Set<string>();

/** All of the output goes to a file; older ones make room for it. */
export async function keepingOutput(session: Session, start: Start): Promise<{ result: CallResult; kept: Kept }> {
  const name = newName();
  inUse.add(name);
  try {
    return await withFile(`${OUTPUT_FOLDER}/${name}`, start);
  } finally {
    // Whoever waits for the answer has it first.
    setImmediate(() => void makeRoom(session, name));
  }
}

/** The file of the call that has ended is still counted as in use: whoever is told of it must find it. */
async function makeRoom({ workspace, limits }: Session, own: string): Promise<void> {
  try {
    await pruneOutputs(workspace, limits, (name) => inUse.has(name) || mayBeInUse(name, limits.timeoutMs));
  } catch {
    // What could not be looked at is looked at after the next call.
  } finally {
    inUse.delete(own);
  }
}

/** A full disk, or something else in the place of the folder, must not keep anyone from running the command that mends it. */
async function withFile(outputFile: string, start: Start): Promise<{ result: CallResult; kept: Kept }> {
  try {
    return { result: await start({ outputFile }), kept: { file: `${INSIDE.workspace}/${outputFile}` } };
  } catch (error) {
    if (!(error instanceof CordonError) || error.where !== outputFile) throw error;
    return { result: await start({}), kept: { problem: error.message } };
  }
}

/** Nobody inside can guess the name, so nobody can put something in its place beforehand; sorted by name they are sorted by time. */
function newName(): string {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 17);
  return `output-${time}-${ownTag()}${randomBytes(6).toString('hex')}.txt`;
}

let tag: string | undefined;
function ownTag(): string {
  tag ??= createHash('sha256').update(ownMark()).digest('hex').slice(0, 4);
  return tag;
}

/** Clocks of two machines are never quite the same. */
const SLACK_MS = 60_000;

/** Another server may serve the same workspace. Its calls end at the limit of time; until then a file of it may be one of them. */
function mayBeInUse(name: string, timeoutMs: number): boolean {
  if (name.split('-')[2]?.startsWith(ownTag()) === true) return false;
  const [, y, mo, d, h, mi, s] = /^output-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(name) ?? [];
  const begun = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  return Math.abs(Date.now() - begun) < timeoutMs + SLACK_MS;
}
