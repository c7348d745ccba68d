import type { Bytes } from '../../host/bytes.ts';

const SHORTEST_HEADER = 12;

/** A header that decodes to JSON with an algorithm, a body and a third part: a signed or encrypted web token. */
export function hasWebToken(value: Bytes): boolean {
  if (!value.includes('eyJ')) return false;
  for (const [run] of value.matchAll(/[A-Za-z0-9_.-]+/g))
    if (run.includes('.') && isTokenIn(run.split('.'))) return true;
  return false;
}

function isTokenIn(segments: readonly string[]): boolean {
  return segments.some((segment, i) => {
    const body = segments[i + 1];
    return body !== undefined && body.length >= 2 && segments[i + 2] !== undefined && isHeader(segment);
  });
}

function isHeader(segment: string): boolean {
  const start = segment.indexOf('eyJ');
  if (start === -1 || segment.length - start < SHORTEST_HEADER) return false;
  const json = Buffer.from(segment.slice(start, start + 4096), 'base64url').toString('latin1');
  return /"(?:alg|enc|typ|kid)"/.test(json);
}
