import { judge, refuse } from './judge.ts';

const TOKEN =
  /<!--[\s\S]*?-->|<\?xml[^>]*\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>|[^<]+/y;

/** Maven's settings without its servers, where the log-ins are, and without what is called a password elsewhere. */
export function cleanMaven(text: string): string {
  const writer = new Writer();
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text) ?? refuse();
    const [all, closes, name] = token;
    if (all.startsWith('<!--')) continue;
    if (name === undefined) writer.text(all);
    else if (closes === '/') writer.close(name, all);
    else writer.open(name, all);
  }
  return writer.end();
}

class Writer {
  readonly #open: string[] = [];
  readonly #kept: string[] = [];
  /** How many of the open elements are left out. */
  #leftOut = 0;

  open(name: string, all: string): void {
    const isLeftOut = this.#leftOut > 0 || isSecret(name);
    if (!isLeftOut) this.#kept.push(all);
    if (all.endsWith('/>')) return;
    this.#open.push(name);
    if (isLeftOut) this.#leftOut += 1;
  }

  close(name: string, all: string): void {
    if (this.#open.pop() !== name) refuse();
    if (this.#leftOut === 0) this.#kept.push(all);
    else this.#leftOut -= 1;
  }

  text(all: string): void {
    if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(all)) refuse();
    const inside = this.#open.at(-1);
    if (inside === undefined && all.trim() !== '' && !all.startsWith('<?xml')) refuse();
    if (this.#leftOut === 0) this.#kept.push(inside === undefined ? all : (judge([inside], all) ?? ''));
  }

  end(): string {
    if (this.#open.length > 0) refuse();
    return this.#kept.join('');
  }
}

const isSecret = (name: string) =>
  /^(?:servers?|passphrase|privateKey)$/i.test(name) || judge([name], '') === undefined;
