import { randomBytes } from 'node:crypto';
import { CordonError } from '../host/errors.ts';
import { INSIDE } from '../plan/places/index.ts';
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
    await pruneOutputs(workspace, limits, inUse);
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
  return `output-${time}-${randomBytes(6).toString('hex')}.txt`;
}
