import { createHash, randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, opendir, unlink } from 'node:fs/promises';
import { CordonError } from '../host/errors.ts';
import { INSIDE } from '../plan/places/index.ts';
import type { Limits } from '../sessions/limits.ts';
import { ownMark } from '../sessions/owner.ts';
import type { CallOptions, CallResult, Session } from '../sessions/types.ts';
import { OUTPUT_FOLDER } from './output-folder.ts';
import type { Kept } from './report.ts';

type Start = (options: Pick<CallOptions, 'outputFile'>) => Promise<CallResult>;

/** The files of calls that run: these are not old, however many newer ones there are. */
const inUse = new Set<string>();

/** All of the output goes to a file, where the workspace is on this machine; older ones make room for it. */
export async function keepingOutput(session: Session, start: Start): Promise<{ result: CallResult; kept: Kept }> {
  if (session.isElsewhere === true) return { result: await start({}), kept: 'nowhere' };
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

/** A full disk, or something else in the place of the folder, must not keep anyone from running the command that fixes it. */
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

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const OWN_NAME = /^output-\d{14,17}-(?:[0-9a-f]{12}|[0-9a-f]{16})\.txt$/;

/** A command may fill the folder with files of such names: some go with each call, and none holds up the server. */
const MOST_SEEN = 10_000;

/**
 * Keeps the newest files within the number and the size of all together. Commands own the workspace: no part of the way is
 * followed if it is a link, and what cannot be removed stays.
 */
async function pruneOutputs(workspace: string, limits: Limits, isInUse: (name: string) => boolean): Promise<void> {
  const folder = await openFolder(workspace);
  if (folder === undefined) return;
  try {
    const inside = `/proc/self/fd/${folder.fd}`;
    const names = await namesIn(inside);
    const used = names.filter(isInUse);
    const order = [...used, ...names.filter((name) => !isInUse(name))];
    const kept = Math.max(used.length, await howMany(inside, order, limits));
    for (const name of order.slice(kept)) await unlink(`${inside}/${name}`).catch(() => undefined);
  } finally {
    await folder.close();
  }
}

async function openFolder(workspace: string): Promise<FileHandle | undefined> {
  const above = await openNoLink(workspace);
  if (above === undefined) return undefined;
  try {
    return await openNoLink(`/proc/self/fd/${above.fd}/${OUTPUT_FOLDER}`);
  } finally {
    await above.close();
  }
}

const openNoLink = (path: string) => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);

/** Newest first. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  let seen = 0;
  for await (const entry of (await opendir(folder, { bufferSize: 256 })) as AsyncIterable<Dirent>) {
    if (OWN_NAME.test(entry.name)) names.push(entry.name);
    if (++seen === MOST_SEEN) break;
  }
  return names.sort().reverse();
}

/** How many of these, from the first on, are within the limits. */
async function howMany(folder: string, names: readonly string[], { outputFiles, outputTotal }: Limits) {
  const sizes = await Promise.all(names.slice(0, outputFiles).map((name) => sizeOf(`${folder}/${name}`)));
  let room = outputTotal;
  const over = sizes.findIndex((size) => {
    room -= size;
    return room < 0;
  });
  return over === -1 ? outputFiles : over;
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.size ?? 0;
}
