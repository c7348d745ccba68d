import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { eventually } from './kubernetes.ts';

/** The addresses behind a Service as they change, which is what kube-proxy goes by: those that are ready. */
export async function readyServers(namespace: string, service: string): Promise<() => readonly string[]> {
  // With `jsonpath` kubectl ends at the first change, without a word.
  const form = 'go-template={{range .subsets}}{{range .addresses}}{{.ip}} {{end}}{{end}}{{"\\n"}}';
  const words = ['--namespace', namespace, 'get', 'endpoints', service, '--watch', '--output', form];
  const watching = spawn('kubectl', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void watching.kill());
  let now: readonly string[] = [];
  createInterface({ input: watching.stdout }).on('line', (line) => {
    now = line.split(' ').filter((address) => address !== '');
  });
  await eventually(() => {
    if (now.length < 2) throw new Error(`behind ${service} are ready: ${now.join()}`);
  });
  return () => {
    if (watching.exitCode !== null) throw new Error('kubectl does not watch any more');
    return now;
  };
}
