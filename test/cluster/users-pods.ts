import { shardOf } from '../../src/mcp/http/shards.ts';
import { FRONTS } from './client.ts';
import { eventually, getIn, kubectl, PODS_NAMESPACE } from './kubernetes.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever the API server answers
type Any = any;

/** Pods of users, and those that nobody has yet, that are there to stay. */
export const podsOf = async (front?: string): Promise<Any[]> => {
  const selector = front === undefined ? [] : ['--selector', `cordon/front=${front}`];
  const { items } = await getIn(PODS_NAMESPACE, 'pods', ...selector);
  return items.filter(({ metadata }: Any) => metadata.deletionTimestamp === undefined);
};

export const podNamed = (name: string): Promise<Any> => getIn(PODS_NAMESPACE, 'pod', name);

export const frontOf = (name: string) => `front-${shardOf(name, 2)}`;

export const inUsersPod = (pod: string, ...command: string[]) =>
  kubectl('--namespace', PODS_NAMESPACE, 'exec', pod, '--', ...command);

/** A pod's own name is in its host name, which a call does not get: it is asked for from outside, by a file that the call makes. */
export async function podOf(name: string, id: string, origin: string): Promise<string> {
  const mark = `is-here-${name}-${Date.now()}`;
  const { output, text } = await FRONTS.call(name, id, `touch ${mark}; echo made`, origin);
  if (output !== 'made') throw new Error(text);
  for (const { metadata } of await podsOf(frontOf(name)))
    if (await inUsersPod(metadata.name, 'rm', mark).then(isThere, isNot)) return metadata.name;
  throw new Error(`${name} is in no pod`);
}

const isThere = () => true;
const isNot = () => false;

/** All that the front keeps ready are on this machine, and it makes no others elsewhere until the result is called. */
export async function onlyOn(
  machine: string,
  other: string,
  front: string,
  kept: readonly string[] = [],
): Promise<() => Promise<string>> {
  await kubectl('cordon', other);
  const elsewhere = (await podsOf(front))
    .filter(({ metadata, spec }) => spec.nodeName === other && !kept.includes(metadata.name))
    .map(({ metadata }) => metadata.name);
  // Until they are gone: a call that came to one that ends would be of those of which nobody knows.
  if (elsewhere.length > 0) await kubectl('--namespace', PODS_NAMESPACE, 'delete', 'pod', ...elsewhere);
  await eventually(async () => {
    const all = await podsOf(front);
    const there = all.filter(
      ({ metadata, spec, status }) =>
        spec.nodeName === machine && status.phase === 'Running' && !kept.includes(metadata.name),
    );
    if (there.length < 2) {
      const states = JSON.stringify(all.map(({ status }) => status));
      throw new Error(`${there.length} pods of ${front} are on ${machine}: ${states}`);
    }
  });
  return () => kubectl('uncordon', other);
}
