import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { begin } from '../../prove/attempt.ts';
import { cordonProgram } from './cordon.ts';
import { ended } from './escape-run.ts';
import type { Scene } from './escape-scene.ts';

/** One way in which people start a command that Cordon holds. */
export interface Way {
  readonly name: string;
  /** Starts it in the working folder of the scene and waits for its end. Gives back what was said, for whoever has to find out why. */
  readonly run: (scene: Scene, starter: readonly string[], argv: Argv) => Promise<string>;
}

/** No word of it has anything that a shell would take for its own. */
type Argv = readonly [string, ...string[]];

const envOf = ({ home }: Scene) => ({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home });

async function started(scene: Scene, starter: readonly string[], argv: readonly string[]): Promise<string> {
  const child = begin({ scene, env: envOf(scene), starter, starterIsOurs: true }, { argv });
  child.stdin?.on('error', () => undefined).end();
  const { code, stdout, stderr } = await ended(child);
  return `exit code ${code}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`;
}

export const NOTHING: Way = { name: 'nothing', run: started };

const RUN: Way = {
  name: 'cordon run',
  run: (scene, starter, argv) => started(scene, starter, [cordonProgram(), 'run', '--', ...argv]),
};

const SHIM: Way = {
  name: 'the shim of a guarded tool',
  run: async (scene, starter, [tool, ...args]) => {
    const cordon = (...words: readonly string[]) => scene.command([cordonProgram(), 'tool', ...words]);
    await cordon('add', tool);
    await cordon('config', tool, 'fs', 'base', 'guarded');
    return started(scene, starter, [scene.path(`.local/share/cordon/bin/${tool}`), ...args]);
  },
};

const AGENT: Way = {
  name: 'cordon agent run',
  run: (scene, starter, argv) => started(scene, starter, [cordonProgram(), 'agent', 'run', 'generic', argv.join(' ')]),
};

const SESSION: Way = {
  name: 'a call in a session',
  run: async (scene, starter, argv) => {
    const words = [...starter, cordonProgram(), 'mcp', '--user', 'ada', '--workspace', scene.work];
    const [command = '', ...args] = words;
    const transport = new StdioClientTransport({ command, args, env: envOf(scene), cwd: scene.work, stderr: 'ignore' });
    const client = new Client({ name: 'test', version: '1' });
    try {
      await client.connect(transport);
      return JSON.stringify(await client.callTool({ name: 'Bash', arguments: { command: argv.join(' ') } }));
    } finally {
      await client.close();
    }
  },
};

export const WAYS: readonly Way[] = [RUN, SHIM, AGENT, SESSION];
