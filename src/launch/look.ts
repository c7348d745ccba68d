import type { Bytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Operation } from '../plan/places/index.ts';
import type { Policy } from '../policy/policy.ts';
import { launch } from './launch.ts';
import { type LaunchRequest, prepare } from './prepare.ts';

/** What a command meets at one path. */
export interface FoundInside {
  /** `closed`: it cannot be told what is there; `link`: one that leads nowhere. */
  readonly kind: 'file' | 'folder' | 'link' | 'socket' | 'pipe' | 'device' | 'closed' | 'absent';
  readonly read: boolean;
  /** Of something absent: whether it could be made. */
  readonly write: boolean;
  /** The path itself, or the nearest folder on the way that is there. */
  readonly near: string;
  /** Where the filesystem that holds it begins, and of which kind it is. */
  readonly mount?: string;
  readonly filesystem?: string;
}

export interface Looked {
  readonly isolation: 'barrier' | 'filter';
  readonly operations: readonly Operation[];
  readonly found: readonly FoundInside[];
}

type LookRequest = Pick<LaunchRequest, 'policy' | 'env' | 'workdir' | 'argv' | 'throwawayHome' | 'withoutCopies'>;

/** Where bubblewrap makes the barrier they are arguments of a program. */
const AT_ONCE = 8000;

/** What this command would find at the paths, as a process sees it that stands where the command would stand. */
export async function lookAt(request: LookRequest, paths: readonly Bytes[]): Promise<Looked> {
  const parts: Looked[] = [];
  for (let at = 0; at === 0 || at < paths.length; at += AT_ONCE)
    parts.push(await lookAtSome(request, paths.slice(at, at + AT_ONCE)));
  const [first] = parts as [Looked, ...Looked[]];
  return { ...first, found: parts.flatMap(({ found }) => found) };
}

async function lookAtSome(request: LookRequest, paths: readonly Bytes[]): Promise<Looked> {
  // Nobody is there to use credentials, and what the guard would forbid is another answer.
  const policy: Policy = {
    ...request.policy,
    credentials: [],
    guard: request.policy.guard === 'off' ? 'off' : 'strip',
  };
  const { plan } = prepare({
    ...request,
    policy,
    argv: [request.argv[0]],
    look: paths,
    record: false,
    rehearsal: true,
  });
  const { child, result } = launch(plan, { stdin: 'ignore', stdout: 'pipe' });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { exitCode } = await result;
  const [head, ...found] = Buffer.concat(chunks)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  if (exitCode !== 0 || found.length !== paths.length)
    throw new CordonError('launch', 'what a command would find there could not be looked at', {
      hint: 'cordon doctor says what this machine lacks',
    });
  return { isolation: head.isolation, operations: plan.places, found };
}
