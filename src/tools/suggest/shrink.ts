/** What to try next is settled by the list and the answers alone, so the same answers lead the same way. */
export interface Shrinking<T> {
  /** Whether these alone are enough. */
  readonly isEnough: (some: readonly T[]) => Promise<boolean>;
  readonly isTimeUp: () => boolean;
  readonly onProgress?: (left: number) => void;
}

/**
 * Delta debugging: leaves out ever smaller parts as long as the rest is enough. Nothing in the result can be left out alone, unless time
 * was up.
 */
export async function shrink<T>(all: readonly T[], how: Shrinking<T>): Promise<readonly T[]> {
  if (await how.isEnough([])) return [];
  let left = all;
  let parts = 2;
  while (left.length > 1 && !how.isTimeUp()) {
    const chunks = split(left, Math.min(parts, left.length));
    const smaller = (await firstEnough(chunks, how)) ?? (await firstEnough(complements(left, chunks), how));
    if (smaller === undefined) {
      if (parts >= left.length) return left;
      parts *= 2;
    } else {
      parts = chunks.includes(smaller as T[]) ? 2 : Math.max(2, parts - 1);
      left = smaller;
      how.onProgress?.(left.length);
    }
  }
  return left;
}

async function firstEnough<T>(
  candidates: readonly (readonly T[])[],
  { isEnough, isTimeUp }: Shrinking<T>,
): Promise<readonly T[] | undefined> {
  for (const candidate of candidates) {
    if (isTimeUp()) return undefined;
    if (await isEnough(candidate)) return candidate;
  }
  return undefined;
}

function split<T>(list: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, i) =>
    list.slice(Math.floor((i * list.length) / parts), Math.floor(((i + 1) * list.length) / parts)),
  );
}

/** With two chunks each is the other's complement. */
function complements<T>(list: readonly T[], chunks: readonly (readonly T[])[]): T[][] {
  if (chunks.length === 2) return [];
  return chunks.map((chunk) => list.filter((item) => !chunk.includes(item)));
}

/** Fisher and Yates with a small generator of its own: the same seed gives the same order everywhere. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const result = [...list];
  let state = seed >>> 0;
  for (let i = result.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
