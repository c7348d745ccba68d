import type { Place } from '../../policy/load/node.ts';
import type { Source } from '../../policy/load/source.ts';

/** From where a rule says it is written back to the spot, when it is in this file. */
export function placesIn(source: Source): (origin: string) => Place | undefined {
  return (origin) => {
    if (!origin.startsWith(`${source.name}:`)) return undefined;
    const [, line, column] = /^:(\d+):(\d+)$/.exec(origin.slice(source.name.length)) ?? [];
    if (line === undefined || column === undefined) return undefined;
    const start = source.lineStart(Number(line)) + Number(column) - 1;
    return { start, end: start + lengthAt(source.text, start) };
  };
}

/** Up to the end of the quoted text or the word. */
function lengthAt(text: string, start: number): number {
  const rest = text.slice(start, start + 512);
  return /^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s,\]}]+)/.exec(rest)?.[0].length ?? 1;
}
