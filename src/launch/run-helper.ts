import { type ChildProcess, spawn } from 'node:child_process';
import { decide } from '../decide/decide.ts';
import { type Bytes, bytesOfText, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { findOwnProgram, trustedPath, UNTRUSTED } from '../host/own-program.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { seal, sealedEntries } from '../seal/seal.ts';
import { Secret } from '../secrets/secret.ts';
import type { HelperCommand, HelperResult, Run } from '../secrets/sources/source.ts';
import { READ_LIMIT } from '../secrets/value.ts';
import { emptyEnvironment } from './launch.ts';

/** Starts the programs that know secrets: sealed environment, no shell, no terminal, an end to their time and their output. */
export function helperRunner(env: ParentEnv, workdirs: readonly string[]): Run {
  return (command) => {
    const path = locate(command.argv[0], env, workdirs);
    if ('outcome' in path) return Promise.resolve(path);
    return runHelper(path.file, command, helperEnvironment(command.lend ?? [], env, workdirs));
  };
}

function locate(program: string, env: ParentEnv, workdirs: readonly string[]): { file: string } | HelperResult {
  if (program === process.execPath) return { file: program }; // What already runs us.
  try {
    return { file: textOfBytes(findOwnProgram(bytesOfText(program), env, workdirs)) ?? program };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    if (error.kind === UNTRUSTED) return { outcome: 'untrusted', error };
    return { outcome: error.kind === 'not-found' ? 'not-found' : 'not-runnable' };
  }
}

/** What a helper is lent is no part of what is sealed: its session is on the list that no command's environment ever has. */
export function helperEnvironment(
  lend: readonly string[],
  env: ParentEnv,
  workdirs: readonly string[],
): NodeJS.ProcessEnv {
  const policy: Policy = { ...DEFAULT_POLICY, origin: 'helper of a credential' };
  const patterns = lend.map((name) => Pattern.parse(name));
  const isLent = (name: Bytes) => env.get(name) !== '' && patterns.some((pattern) => pattern.matches(name));
  const lent = env.names().filter(isLent);
  const entries = [
    ...sealedEntries(seal(decide(policy, env), { policy, env })),
    ...lent.map((name) => [name, new Secret(env.get(name) as Bytes)] as const),
  ];
  const result = emptyEnvironment();
  for (const [name, value] of entries) {
    const [key, text] = [textOfBytes(name), textOfBytes(value.reveal())];
    if (key !== undefined && text !== undefined) result[key] = text;
  }
  result.PATH = trustedPath(env, workdirs);
  return result;
}

/** In a session of its own, so that it has no terminal and ends with all it started. */
function runHelper(
  file: string,
  { argv, input, signal }: HelperCommand,
  env: NodeJS.ProcessEnv,
): Promise<HelperResult> {
  if (signal.aborted) return Promise.resolve({ outcome: 'time' });
  const child = spawn(file, argv.slice(1), {
    argv0: argv[0],
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // It may end without having read.
  child.stdin.end(input?.buffer());
  return new Promise((resolve) => {
    const stopWatching = endWithUs(child);
    const finish = (result: HelperResult) => {
      signal.removeEventListener('abort', outOfTime);
      stopWatching();
      endGroup(child);
      resolve(result);
    };
    const outOfTime = () => finish({ outcome: 'time' });
    signal.addEventListener('abort', outOfTime, { once: true });
    const stdout = gather(child.stdout, () => finish({ outcome: 'too-much' }));
    const stderr = gather(child.stderr, () => undefined);
    child.once('error', () => finish({ outcome: 'not-runnable' }));
    child.once('close', (code) => {
      finish({
        outcome: 'exited',
        code: code ?? 255,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
      });
    });
  });
}

function gather(stream: NodeJS.ReadableStream, tooMuch: () => void): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= READ_LIMIT) chunks.push(chunk);
    else tooMuch();
  });
  return chunks;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal that ends Cordon meanwhile ends the helper too. */
function endWithUs(child: ChildProcess): () => void {
  const stops = ENDING.map((signal) => {
    const stop = () => {
      endGroup(child);
      process.off(signal, stop);
      process.kill(process.pid, signal);
    };
    process.on(signal, stop);
    return () => process.off(signal, stop);
  });
  return () => {
    for (const stop of stops) stop();
  };
}

/** Ends a process that leads a group, and all of the group, whatever it started. What got away and holds its output must not keep us waiting. */
function endGroup(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
