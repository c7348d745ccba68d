import type { Duplex } from 'node:stream';
import { CordonError } from '../../host/errors.ts';
import { ensureFolder } from '../../host/files.ts';
import { foldersOf } from '../../host/folders.ts';
import { planText, type Records } from '../../plan/plan.ts';
import { auditFile, auditHead, newLaunchId } from '../audit.ts';
import type { Prepared } from '../prepare.ts';
import type { InsideRequest } from './inside.ts';

/** What is written down of a command that runs elsewhere. */
export interface Recorded extends InsideRequest {
  /** Write an audit record. */
  readonly record: boolean;
  /** What it says besides. */
  readonly note?: Readonly<Record<string, string>> | undefined;
}

const LARGEST = 4 << 20;

/** Up to an entry without a name. Where a word is wanted it comes first, and whoever does not know it is no launcher of ours. */
export function environmentFrom(socket: Duplex, word?: string): Promise<Buffer> {
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    let said: Buffer = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      said = Buffer.concat([said, chunk]);
      try {
        const block = blockIn(word === undefined ? said : behindWord(said, Buffer.from(`${word}\0`)));
        if (block === undefined) return;
        resolve(block);
      } catch (error) {
        reject(error);
      }
      socket.off('data', take);
    };
    socket.on('data', take);
  });
}

/** Undefined while there is more to come. */
function blockIn(said: Buffer | undefined): Buffer | undefined {
  if (said === undefined) return undefined;
  const end = said[0] === 0 ? 0 : said.indexOf('\0\0');
  if (end === -1 && said.length > LARGEST) throw new CordonError('launch', 'the container has too many variables');
  return end === -1 ? undefined : said.subarray(0, end);
}

function behindWord(said: Buffer, word: Buffer): Buffer | undefined {
  if (said.length < word.length && !said.includes(0)) return undefined;
  if (isEqual(said.subarray(0, word.length), word)) return said.subarray(word.length);
  throw new CordonError('launch', 'something else than the launcher of this start asked for its plan', {
    hint: 'it was told nothing, and nothing was run; who else runs as this user, outside of any sandbox?',
  });
}

/** In the same time whatever is wrong. That of node:crypto takes longer to load than the rest of a launch. */
function isEqual(one: Buffer, other: Buffer): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of other.entries()) difference |= byte ^ (one[index] ?? 0);
  return difference === 0;
}

export interface Heard {
  readonly isolation: string | undefined;
  readonly exit: number | undefined;
}

/**
 * The launcher answers with how the command is held, and in the end with its exit code, which engines do not all pass on. The socket
 * stays open: without it nothing inside goes on.
 */
export function tellPlan(socket: Duplex, { plan }: Prepared): () => Heard {
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  const text = Buffer.from(planText(plan, 'with-values'), 'latin1');
  socket.write(text, () => text.fill(0));
  return () => {
    const [, isolation, exit] = /^([a-z]+)(?: (\d{1,3})\n)?$/.exec(heard) ?? [];
    return { isolation, exit: exit === undefined ? undefined : Number(exit) };
  };
}

/** Undefined where nothing can be written down. */
export function stateFolderOf({ env, folders }: Pick<Recorded, 'env' | 'folders'>): string | undefined {
  const { state } = folders ?? foldersOf(env);
  if (state === undefined) return undefined;
  try {
    ensureFolder(state);
    return state;
  } catch {
    return undefined;
  }
}

export function recordsFor(request: Recorded, { decisions }: Prepared, launch = newLaunchId()): Records | undefined {
  const { policy, argv, record, note } = request;
  const state = record ? stateFolderOf(request) : undefined;
  if (state === undefined) return undefined;
  const head = auditHead({ policy, decisions, path: argv[0], argumentCount: argv.length - 1 });
  const more = note === undefined ? '' : `,${JSON.stringify(note).slice(1, -1)}`;
  return { launch, stateFolder: state, audit: { file: auditFile(state), head: `${head}${more}` } };
}
