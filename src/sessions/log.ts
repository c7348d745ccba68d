import { showText } from '../host/bytes.ts';
import type { UserSecrets } from '../secrets/sandboxed/load.ts';
import type { Log, LogLevel } from './types.ts';

/** Lines for people, or one JSON object a line. */
export type LogForm = 'text' | 'json';

/** A log that writes lines as text or JSON. At `info` names and counts; `debug` adds each variable that is set, as NAME=***. */
export function lineLog(write: (line: string) => void, form: LogForm = 'text', level: LogLevel = 'info'): Log {
  return (at, message) => {
    if (at === 'debug' && level !== 'debug') return;
    const line = showText(message);
    write(
      form === 'json'
        ? JSON.stringify({ time: new Date().toISOString(), level: at, message: line })
        : `${at.toUpperCase()}: ${line}`,
    );
  };
}

/** What was loaded, by names and counts. */
export function logSecrets(log: Log, user: string, { variables, shared, own, passedOver }: UserSecrets): void {
  log('info', `sandboxed_envs: ${counted(shared, 'global')}`);
  log('info', `sandboxed_envs: ${counted(own, "of the user's own")}`);
  const [all, mine] = [shared.count ?? 0, own.count ?? 0];
  log('info', `sandboxed_envs: ${all} global + ${mine} own = ${variables.length} after overrides`);
  for (const file of passedOver) log('info', `sandboxed_envs: ${file} is not read; the file is called secrets.yaml`);
  const names = variables.map(({ name }) => name).join(', ');
  log('info', `sandbox: user '${user}' has ${variables.length} variables: [${names}]`);
}

const counted = ({ count, file }: UserSecrets['own'], whose: string) =>
  count === undefined ? `none ${whose}: there is no ${file}` : `${count} ${whose}, from ${file}`;

export function logOpened(log: Log, id: string, count: number): void {
  log('info', `sandbox: ${count} variables are ready for session ${id}`);
}

export function logCall(log: Log, id: string, what: string, names: readonly string[]): void {
  log('info', `bubblewrap: ${names.length} variables go to ${what} of session ${id}`);
  for (const name of names) log('debug', `bubblewrap: ${name}=***`);
}
