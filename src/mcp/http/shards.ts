import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** One of several servers that share the users among them. */
export interface Shards {
  readonly own: number;
  readonly count: number;
  /** Where each of them is reached, by number; without it, users of others are refused. */
  readonly peers?: readonly URL[] | undefined;
}

export const MOST_SHARDS = 10_000;

/**
 * Which server has the sessions of a user: by the user and not by the token, or somebody with two tokens would have every limit twice.
 * Lamping and Veach's jump consistent hash: even, and with one server more only those users move that go to it.
 */
export function shardOf(user: string, count: number): number {
  let key = createHash('sha256').update(user).digest().readBigUInt64BE();
  let [at, next] = [0, 0];
  while (next < count) {
    at = next;
    key = BigInt.asUintN(64, key * 2_862_933_555_777_941_757n + 1n);
    next = Math.floor((at + 1) * (2 ** 31 / (Number(key >> 33n) + 1)));
  }
  return at;
}

/** `2/5`, or `host/5` for the number at the end of this machine's name, as a StatefulSet gives it. Undefined: it is neither. */
export function parseShard(text: string): Pick<Shards, 'own' | 'count'> | undefined {
  const [, which, size] = /^(host|\d{1,5})\/(\d{1,5})$/.exec(text) ?? [];
  const number = which === 'host' ? /-(\d{1,5})$/.exec(hostname().split('.')[0] as string)?.[1] : which;
  const [own, count] = [Number(number), Number(size)];
  return own < count && count <= MOST_SHARDS ? { own, count } : undefined;
}

/** One address for each, or one with {} for the number. Undefined: not that many, or not addresses alone. */
export function parsePeers(texts: readonly string[], count: number): URL[] | undefined {
  const [only = ''] = texts;
  const all =
    texts.length === 1 && only.includes('{}')
      ? Array.from({ length: count }, (_, i) => only.replaceAll('{}', String(i)))
      : texts;
  const urls = all.flatMap((text) =>
    /^http:\/\/[A-Za-z0-9.:[\]-]+$/.test(text) && URL.canParse(text) ? [new URL(text)] : [],
  );
  return urls.length === count ? urls : undefined;
}
