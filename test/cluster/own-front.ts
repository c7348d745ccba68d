import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { addToken, callOf, INITIALIZE, post } from '../mcp/http-support.ts';
import { readCall } from '../mcp/replica-support.ts';
import { Place } from '../mcp/support.ts';
import { PODS_APPLIED } from './kubernetes.ts';
import { podsOf } from './users-pods.ts';

/** Pods of a front on this machine. */
export const ownPods = () => podsOf(hostname().split('.')[0]);

/** A front on this machine, with the cluster as KUBECONFIG says, and what its user calls there. */
export async function ownFront(change: (manifest: string) => string, ...flags: string[]) {
  const place = new Place('root');
  const manifest = join(place.home, 'pod.yaml');
  place.write(manifest, change(readFileSync(join(PODS_APPLIED(), 'pods/pod.yaml'), 'utf8')));
  const token = await addToken(place, 'alice');
  const env = { KUBECONFIG: process.env.KUBECONFIG as string };
  const server = place.start(['serve', '--pods', manifest, '--listen', '127.0.0.1:0', ...flags], env);
  const [, origin = ''] = await server.says(/listening on (http:\/\/\S+)\/mcp/);
  const open = async () => {
    const answer = await post({ origin }, token, INITIALIZE);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  const call = async (id: string, command: string) => {
    const answer = await post({ origin }, token, callOf(command), { 'mcp-session-id': id });
    return readCall(answer.status, await answer.text());
  };
  return { server, open, call };
}
