import { showText } from '../host/bytes.ts';
import { type AgentEvent, isObject, textAt } from './events.ts';

const CODES = { dim: 2, red: 31, green: 32, cyan: 36 } as const;
type Paint = (style: keyof typeof CODES, text: string) => string;

const MOST_LINES = 20;
const WIDEST = 200;
const LONGEST_REMEMBERED = 65_536;

/** Events as a person reads them. Whatever an agent says is shown with control sequences escaped; only the colours are ours. */
export class EventView {
  readonly #paint: Paint;
  /** Whether the last thing shown was half a sentence. */
  #open = false;
  #lastText = '';

  constructor(colours: boolean) {
    this.#paint = colours ? (style, text) => `\x1b[${CODES[style]}m${text}\x1b[0m` : (_, text) => text;
  }

  show(event: AgentEvent): string {
    if (event.type === 'text' && event.partial === true) {
      this.#open = true;
      this.#lastText = (this.#lastText + event.text).slice(-LONGEST_REMEMBERED);
      return safe(event.text);
    }
    const text = this.#whole(event);
    return text === '' ? '' : `${this.#close()}${text}\n`;
  }

  end(): string {
    return this.#close();
  }

  #close(): string {
    const newline = this.#open ? '\n' : '';
    this.#open = false;
    return newline;
  }

  #whole(event: AgentEvent): string {
    switch (event.type) {
      case 'text':
        this.#lastText = event.text;
        return safe(event.text);
      case 'thinking':
        return event.text === '' ? '' : this.#paint('dim', safe(event.text));
      case 'tool':
        return `${this.#paint('cyan', `▸ ${safe(event.name)}`)} ${safe(summary(event.input))}`.trimEnd();
      case 'tool-result':
        return this.#paint(event.failed ? 'red' : 'dim', block(event.output));
      case 'error':
        return this.#paint('red', `error: ${safe(event.message)}`);
      case 'end':
        return this.#ending(event);
      case 'output':
        return this.#paint('dim', safe(event.text));
      default:
        return '';
    }
  }

  /** The last words come again with the end: once is enough. */
  #ending({ failed, text = '' }: Extract<AgentEvent, { type: 'end' }>): string {
    const known = text === '' || text.trim() === this.#lastText.trim();
    if (failed) return this.#paint('red', known ? 'it failed' : `it failed: ${safe(text)}`);
    return known || this.#lastText !== '' ? '' : safe(text);
  }
}

/** Lines stay lines, tabs stay tabs. */
function safe(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\t').map(showText).join('\t'))
    .join('\n');
}

function block(output: string): string {
  const lines = output.replace(/\n+$/, '').split('\n');
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${cut(safe(line))}`);
  const more = lines.length - shown.length;
  return [...(output === '' ? [] : shown), ...(more > 0 ? [`  … ${more} more lines`] : [])].join('\n');
}

const cut = (line: string) => (line.length > WIDEST ? `${line.slice(0, WIDEST)}…` : line);

const TELLING = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'absolute_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];

/** The one thing about a call that says what it does. */
function summary(input: unknown): string {
  if (!isObject(input))
    return input === undefined || input === null ? '' : cut(typeof input === 'string' ? input : JSON.stringify(input));
  const telling = TELLING.map((key) => textAt(input, key)).find((value) => value !== undefined && value !== '');
  const text = telling ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input));
  return cut(text.split('\n').length > 1 ? `${text.split('\n')[0]} …` : text);
}

/** Plain output for a terminal: colours may stay, everything else that could steer it is escaped. */
export function safeOutput(line: string): string {
  return line
    .split(/(\x1b\[[0-9;]*m)/)
    .map((part, at) => (at % 2 === 1 ? part : safe(part)))
    .join('');
}
