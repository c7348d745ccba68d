import { spawnSync } from 'node:child_process';
import { type Bytes, bufferOfBytes, bytesOfBuffer } from '../host/bytes.ts';
import { emptyEnvironment } from './launch.ts';
import { nativeLauncher } from './machine.ts';

/** What a git that is started in a workspace comes to, as the launcher finds it, which puts things back there when a command ends. */
export interface GitPlaces {
  /** The git directories, each with its files where these are known. */
  readonly directories: ReadonlyMap<Bytes, Bytes>;
  /** What their settings name to run programs from or to take settings from, and what nobody looks into. */
  readonly named: readonly Bytes[];
}

/** Undefined where they could not be looked for. */
export function gitPlacesOf(workspace: Bytes, home: string | undefined): GitPlaces | undefined {
  const told = ask('--git-places', [workspace], home);
  if (told?.status !== 0) return undefined;
  const fields = bytesOfBuffer(told.stdout).split('\0') as Bytes[];
  const records = Array.from({ length: Math.floor(fields.length / 3) }, (_, i) => fields.slice(3 * i, 3 * i + 3));
  const of = (kind: string) => records.filter(([one]) => one === kind).map(([, ...rest]) => rest as [Bytes, Bytes]);
  // One may come several times: where its files are is known then from any of them.
  const directories = of('d').sort(([, one], [, other]) => one.length - other.length);
  return { directories: new Map(directories), named: of('n').map(([path]) => path) };
}

export interface WantedIndex {
  /** A folder that holds it under its name. */
  readonly folder: Bytes;
  readonly directory: Bytes;
  readonly files: Bytes;
}

const VERDICTS = ['fine', 'odd', 'leads on'] as const;

/** Whether git may be given this index; `leads on`: to another repository, in which git would be started. */
export function judgeIndex({ folder, directory, files }: WantedIndex): (typeof VERDICTS)[number] {
  const status = ask('--git-index', [folder, directory, files], undefined)?.status;
  return VERDICTS[status ?? 1] ?? 'odd';
}

function ask(question: string, fields: readonly Bytes[], home: string | undefined) {
  const launcher = nativeLauncher();
  if (launcher === undefined) return undefined;
  const env = emptyEnvironment();
  if (home !== undefined) env.HOME = home;
  return spawnSync(launcher, [question], {
    cwd: '/',
    env,
    input: Buffer.concat(fields.flatMap((field) => [bufferOfBytes(field), Buffer.of(0)])),
    maxBuffer: 64 << 20,
    timeout: 60_000,
  });
}
