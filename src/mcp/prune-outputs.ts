import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, opendir, unlink } from 'node:fs/promises';
import type { Limits } from '../sessions/limits.ts';
import { OUTPUT_FOLDER } from './output-folder.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const OWN_NAME = /^output-\d{14,17}-(?:[0-9a-f]{12}|[0-9a-f]{16})\.txt$/;

/** A command may fill the folder with files of such names: some go with each call, and none holds up the server. */
const MOST_SEEN = 10_000;

/**
 * Keeps the newest files within the number and the size of all together. Commands own the workspace: no part of the way is
 * followed if it is a link, and what cannot be removed stays.
 */
export async function pruneOutputs(
  workspace: string,
  limits: Limits,
  isInUse: (name: string) => boolean,
): Promise<void> {
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
