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

/** Up to an entry without a name. */
export function environmentFrom(socket: Duplex): Promise<Buffer> {
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    let block: Buffer = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      block = Buffer.concat([block, chunk]);
      const end = block[0] === 0 ? 0 : block.indexOf('\0\0');
      if (end === -1 && block.length <= LARGEST) return;
      socket.off('data', take);
      if (end === -1) reject(new CordonError('launch', 'the container has too many variables'));
      else resolve(block.subarray(0, end));
    };
    socket.on('data', take);
  });
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
