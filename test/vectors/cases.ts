import { readFileSync } from 'node:fs';

/** Black-box cases: host is the parent's whole environment, expect what the child gets, or the kind of refusal. */
export interface VectorCase {
  readonly id: string;
  readonly requirement: string;
  readonly surface: string;
  // biome-ignore lint/suspicious/noExplicitAny: each surface has a shape of its own
  readonly policy: any;
  readonly host: Readonly<Record<string, string>>;
  readonly expect: {
    readonly env?: Readonly<Record<string, string>>;
    readonly error?: string;
    readonly names?: readonly string[];
    readonly allow?: readonly string[];
  };
}

const file = new URL('cases.json', import.meta.url);

export function casesFor(surface: string): VectorCase[] {
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: VectorCase[] };
  return cases.filter((one) => one.surface === surface);
}
