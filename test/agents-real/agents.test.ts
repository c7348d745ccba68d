import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { type Model, startModel } from './model/server.ts';
import { AgentScene, type Ran } from './scene.ts';

interface Agent {
  readonly name: string;
  readonly model: string;
  /** Of the three keys around, those it may have. */
  readonly keys: readonly string[];
  readonly addresses: (model: string) => Readonly<Record<string, string>>;
  /** Another agent's log-in. */
  readonly foreign: string;
  /** It writes its environment into a file for its shells, which must be among what was looked at. */
  readonly snapshot?: boolean;
  /** Its own command line, without Cordon. */
  readonly command: readonly string[];
}

const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    model: 'claude-sonnet-4-5',
    keys: ['ANTHROPIC_API_KEY'],
    addresses: (url) => ({ ANTHROPIC_BASE_URL: url }),
    foreign: '.codex/auth.json',
    snapshot: true,
    command: ['claude', '--print', '--model', 'claude-sonnet-4-5', '--dangerously-skip-permissions'],
  },
  {
    name: 'codex',
    model: 'gpt-5',
    keys: ['OPENAI_API_KEY'],
    addresses: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    foreign: '.claude/.credentials.json',
    snapshot: true,
    command: [
      'codex',
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--model',
      'gpt-5',
      '-c',
      'model_provider="own"',
      '-c',
    ],
  },
  {
    name: 'gemini',
    model: 'gemini-2.5-pro',
    keys: ['GEMINI_API_KEY'],
    addresses: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    foreign: '.codex/auth.json',
    command: ['gemini', '--model', 'gemini-2.5-pro', '--approval-mode', 'yolo', '--skip-trust'],
  },
  {
    name: 'qwen',
    model: 'qwen3-coder',
    keys: ['OPENAI_API_KEY'],
    addresses: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    foreign: '.codex/auth.json',
    command: ['qwen', '--auth-type', 'openai', '--model', 'qwen3-coder', '--approval-mode', 'yolo'],
  },
  {
    name: 'opencode',
    model: 'anthropic/claude-sonnet-4-5',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    addresses: (url) => ({ ANTHROPIC_BASE_URL: url }),
    foreign: '.claude/.credentials.json',
    command: ['opencode', 'run', '--auto', '--model', 'anthropic/claude-sonnet-4-5'],
  },
];

const PROMPT = 'Look around in this folder.';
const COMMAND = 'sh ./look-around.sh; echo looked';

/** The whole story, for the message of a failing test. */
const told = ({ code, stdout, stderr }: Ran, { requests }: Model, dump: string) =>
  [
    `exit ${code}`,
    stdout.slice(-3000),
    stderr.slice(-3000),
    ...requests.map((line) => line.slice(0, 200)),
    dump.slice(0, 3000),
  ].join('\n');

describe.each(AGENTS)('$name', (agent) => {
  it("runs through Cordon, asks its shell for a command, and finds none of the operator's secrets", async () => {
    const scene = new AgentScene(agent.foreign);
    const model = await startModel(COMMAND);
    try {
      const argv = [cordonProgram(), 'agent', 'run', agent.name, '--model', agent.model, PROMPT];
      const ran = await scene.run(argv, agent.addresses(model.address));
      const dump = scene.dump();
      const all = told(ran, model, dump);
      expect(ran.code, all).toBe(0);
      expect(ran.stdout, all).toContain('All done.');
      expect(dump, all).toContain('== end');
      expect(dump, all).toContain('/from-bashrc');
      if (agent.snapshot === true) expect(dump, all).toContain('# Snapshot file');
      expect(scene.found(dump), all).toEqual([]);
      expect(
        scene.keysIn(dump).filter((name) => !agent.keys.includes(name)),
        all,
      ).toEqual([]);
      const left = scene.written();
      expect(scene.found(left)).toEqual([]);
      expect(scene.keysIn(left).filter((name) => !agent.keys.includes(name))).toEqual([]);
    } finally {
      model.close();
    }
  });

  it('finds all of them without Cordon', async () => {
    const scene = new AgentScene(agent.foreign);
    const model = await startModel(COMMAND);
    try {
      const provider = `model_providers.own={name="own",base_url="${model.address}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
      const argv = agent.name === 'codex' ? [...agent.command, provider, '-'] : agent.command;
      const ran = await scene.run(argv, agent.addresses(model.address), PROMPT);
      const dump = scene.dump();
      const all = told(ran, model, dump);
      expect(dump, all).toContain('== end');
      expect(scene.found(dump), all).toEqual(Object.keys(scene.canaries));
    } finally {
      model.close();
    }
  });
});
