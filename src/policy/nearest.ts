/** The candidate within a small edit distance, for "did you mean". */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= limit ? best.candidate : undefined;
}

/** Two neighbours in the wrong order count as one slip. */
function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > 64) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cheapest(a, b, i, j, [...rows.slice(-2), row]));
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}

function cheapest(a: string, b: string, i: number, j: number, rows: readonly number[][]): number {
  const [row, above, twoAbove] = rows.toReversed() as [number[], number[], number[] | undefined];
  const change = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  const swap = swapped ? (twoAbove?.[j - 2] as number) + 1 : Number.POSITIVE_INFINITY;
  return Math.min(change, (above[j] as number) + 1, (row[j - 1] as number) + 1, swap);
}
