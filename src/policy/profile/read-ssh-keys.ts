import { childOf, itemsOf, type Node, textOf } from '../load/node.ts';
import type { Problems } from '../load/problems.ts';
import { parseSshHost, type SshRule } from '../ssh.ts';
import { listed } from './read-environment.ts';

/** A list of `{key, for}`: the shape of each is checked with the whole. */
export function readSshKeys(node: Node | undefined, problems: Problems): SshRule[] {
  const seen = new Set<string>();
  return itemsOf(node).flatMap((item) => {
    const [named, key] = [childOf(item, 'key'), textOf(childOf(item, 'key'))?.trim()];
    const hosts = listed(childOf(item, 'for'));
    if (named === undefined || key === undefined) return [];
    if (key === '' || /[\x00-\x1f\x7f]/.test(key))
      problems.add(
        named.place,
        'this is no name of a key',
        'write what `ssh-add -l` shows, or a file such as id_ed25519',
      );
    if (seen.has(key)) problems.add(named.place, `the key ${key} stands here twice`, 'name all its hosts in one `for`');
    seen.add(key);
    if (hosts.length === 0 && childOf(item, 'for') !== undefined)
      problems.add(item.place, 'no host is named', 'name the hosts that it may log in to: for: ["github.com"]');
    const parsed = hosts.flatMap((host) => {
      const one = parseSshHost(textOf(host) ?? '');
      if ('value' in one) return [one.value];
      problems.add(host.place, one.problem, one.hint);
      return [];
    });
    return [{ key, hosts: parsed, origin: problems.where(named.place) }];
  });
}
