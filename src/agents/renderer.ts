import { once } from 'node:events';
import { OUTPUT_FORMATS } from '../policy/config/shape.ts';
import type { Format } from './adapter.ts';
import { parseLine } from './formats.ts';
import { Lines } from './lines.ts';
import { EventView, safeOutput } from './view.ts';

/**
 * A program of its own, `agent-renderer FORMAT colours|plain`: shows an agent's events from stdin as they come. It is started with the
 * sealed environment of the agent, so that nothing near the agent knows more than the agent does.
 */
async function main(format: Format, view: EventView): Promise<void> {
  const lines = new Lines();
  const show =
    format === 'text' ? (line: string) => `${safeOutput(line)}\n` : (line: string) => render(format, view, line);
  for await (const chunk of process.stdin)
    await write(
      lines
        .add(chunk as Buffer)
        .map(show)
        .join(''),
    );
  await write(`${lines.end().map(show).join('')}${view.end()}`);
}

const render = (format: Format, view: EventView, line: string) =>
  parseLine(format, line)
    .map((event) => view.show(event))
    .join('');

async function write(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

// It ends when the agent's output does; a key pressed is meant for the agent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => undefined);
// Whoever read this went away: the agent's output has no reader any more either.
process.stdout.on('error', () => process.exit(0));

const [, , format = 'text', colours] = process.argv;
await main(OUTPUT_FORMATS.find((one) => one === format) ?? 'text', new EventView(colours === 'colours'));
