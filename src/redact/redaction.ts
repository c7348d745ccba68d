import { type Bytes, bufferOfBytes, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { Secret } from '../secrets/secret.ts';
import { Automaton } from './automaton.ts';
import { formsOf, SHORTEST } from './forms.ts';
import { Skipper } from './skip.ts';

/** The needles of one launch; made once, used for as many streams as it has. */
export class Redaction {
  readonly automaton: Automaton;
  readonly skipper: Skipper;
  readonly labels: readonly Buffer[];

  /** A name may come twice: with what the command holds, and with what that stands for. */
  constructor(secrets: Iterable<readonly [Bytes, Secret]>) {
    const named = [...secrets];
    refuseShort(named);
    const needles = named.flatMap(([, secret], label) => formsOf(secret).map((form) => ({ form, label })));
    this.labels = named.map(([name]) => bufferOfBytes(`[${name}]` as Bytes));
    this.automaton = new Automaton(needles);
    this.skipper = new Skipper(needles.map(({ form }) => form));
  }
}

/** A protection that was asked for and can't be had is an error. */
function refuseShort(secrets: readonly (readonly [Bytes, Secret])[]): void {
  const short = secrets.filter(([, secret]) => secret.buffer().length < SHORTEST).map(([name]) => showBytes(name));
  if (short.length === 0) return;
  throw new CordonError(
    'redact',
    `output cannot be redacted of ${short.join(', ')}: a value of fewer than ${SHORTEST} bytes is found in any text`,
    {
      hint: 'use a longer credential, or leave out redaction',
    },
  );
}
