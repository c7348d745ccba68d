import { createInterface, type Interface } from 'node:readline/promises';
import { CordonError } from '../../host/errors.ts';

/** Questions on the terminal: on stderr, so that stdout stays what the command prints. */
export class Asker {
  readonly #terminal: Interface;
  readonly #closed: Promise<never>;

  constructor() {
    this.#terminal = createInterface({ input: process.stdin, output: process.stderr });
    this.#closed = new Promise((_, reject) => {
      this.#terminal.once('close', () => reject(new CordonError('cancelled', 'cancelled; nothing was written')));
    });
    this.#closed.catch(() => undefined);
  }

  /** An empty answer means `otherwise`; an answer with a problem is asked for again. */
  async ask(
    question: string,
    otherwise: string,
    problemOf: (answer: string) => string | undefined = () => undefined,
  ): Promise<string> {
    for (;;) {
      const typed = await Promise.race([this.#terminal.question(`${question} [${otherwise}] `), this.#closed]);
      const answer = typed.trim() === '' ? otherwise : typed.trim();
      const problem = problemOf(answer);
      if (problem === undefined) return answer;
      process.stderr.write(`  ${problem}\n`);
    }
  }

  async confirm(question: string, otherwise: boolean): Promise<boolean> {
    const answer = await this.ask(question, otherwise ? 'yes' : 'no', (text) =>
      /^(?:y|yes|n|no)$/i.test(text) ? undefined : 'answer yes or no',
    );
    return answer.toLowerCase().startsWith('y');
  }

  close(): void {
    this.#terminal.removeAllListeners('close');
    this.#terminal.close();
  }
}
