import type { Status } from './cell.ts';
import type { Launcher, Loosened } from './launchers.ts';

/** Tries the same once more under another launcher. */
export type Retry = (launcher: Launcher) => Promise<Status>;

const SOME = 16;

/**
 * What of the policy lets it leak, found by leaving parts out: what is blocked without a part that the user wrote is let through on
 * purpose. Undefined: it leaks without any of them too.
 */
export async function excuseOf({ loosened }: Launcher, retry: Retry): Promise<string | undefined> {
  if (loosened === undefined || loosened.by.length === 0) return undefined;
  const all = loosened.by.map((_, i) => i);
  const statusWithout = (these: readonly number[]) => retry(loosened.without(new Set(these)));
  const bare = await statusWithout(all);
  if (bare === 'leaked') return undefined;
  // Without all of them it may not even start; then each is left out alone.
  if (bare !== 'blocked') return oneOf(loosened, all.slice(0, SOME), statusWithout);
  const part = await narrowed(all, statusWithout);
  const alone = (await statusWithout([part])) === 'blocked';
  return alone ? (loosened.by[part] as string) : 'several of its rules';
}

/** Halves the parts until one is left. */
async function narrowed(parts: readonly number[], statusWithout: StatusWithout): Promise<number> {
  if (parts.length === 1) return parts[0] as number;
  const half = parts.slice(0, Math.ceil(parts.length / 2));
  const rest = parts.slice(half.length);
  return narrowed((await statusWithout(half)) === 'blocked' ? half : rest, statusWithout);
}

async function oneOf(
  { by }: Loosened,
  parts: readonly number[],
  statusWithout: StatusWithout,
): Promise<string | undefined> {
  for (const part of parts) if ((await statusWithout([part])) === 'blocked') return by[part];
  return undefined;
}

type StatusWithout = (these: readonly number[]) => Promise<Status>;
