import type { Helper } from './helper.ts';

/** Lines of a process's output, in order, whether they came before they were asked for or not. */
export class Lines {
  #text = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor({ stdout }: Helper) {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
    stdout?.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  async next(): Promise<string> {
    while (!this.#text.includes('\n') && !this.#ended)
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    const [line = '', ...rest] = this.#text.split('\n');
    this.#text = rest.join('\n');
    return line;
  }
}
