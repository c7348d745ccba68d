import { inspect } from 'node:util';
import { type Bytes, bufferOfBytes } from '../host/bytes.ts';

const REDACTED = '[redacted]';

/** A value that shows as [redacted] in every way a value can be shown. Only `reveal()` gives it away, and only to what starts the child. */
export class Secret {
  readonly #value: Bytes;

  constructor(value: Bytes) {
    this.#value = value;
    Object.freeze(this);
  }

  reveal(): Bytes {
    return this.#value;
  }

  buffer(): Buffer {
    return bufferOfBytes(this.#value);
  }

  get isEmpty(): boolean {
    return this.#value.length === 0;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  get [Symbol.toStringTag](): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
