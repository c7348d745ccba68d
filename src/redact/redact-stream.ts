import { Transform } from 'node:stream';
import type { Redaction } from './redaction.ts';
import { Redactor } from './redactor.ts';

/** A stream of its own for each descriptor: two that are mixed would hide or invent matches. */
export function redactStream(redaction: Redaction): Transform {
  const redactor = new Redactor(redaction);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const piece of redactor.push(chunk)) this.push(piece);
      done();
    },
    flush(done) {
      for (const piece of redactor.end()) this.push(piece);
      done();
    },
  });
}
