import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { ROOT } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { startModel } from './model/server.ts';
import { AgentScene } from './scene.ts';

interface Hooked {
  readonly name: string;
  readonly addresses: (model: string) => Readonly<Record<string, string>>;
  readonly command: (model: string) => readonly string[];
}

const provider = (model: string) =>
  `model_providers.own={name="own",base_url="${model}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;

const HOOKED: readonly Hooked[] = [
  {
    name: 'Claude Code',
    addresses: (url) => ({ ANTHROPIC_BASE_URL: url }),
    command: () => ['claude', '--print', '--model', 'claude-sonnet-4-5'],
  },
  {
    name: 'Codex',
    addresses: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    command: (url) => [
      ...['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...[
        '--dangerously-bypass-hook-trust',
        '--model',
        'gpt-5',
        '-c',
        'model_provider="own"',
        '-c',
        provider(url),
        '-',
      ],
    ],
  },
  {
    name: 'Gemini CLI',
    addresses: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    command: () => ['gemini', '--model', 'gemini-2.5-pro', '--approval-mode', 'yolo', '--skip-trust'],
  },
];

/** The files of a section of the page, as they stand there: what is tried is what people copy. */
function filesOf(agent: string): { name: string; text: string }[] {
  const page = readFileSync(join(ROOT, 'docs/hooks.md'), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith(`${agent}\n`)) ?? '';
  return [...section.matchAll(/`~\/([^`]+)`[^`]*```\w+\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
    name,
    text,
  }));
}

/** Answers without asking, since nobody is there; login shells of Codex have a PATH of their own. */
const adapted = (text: string) => text.replace('"ask"', '"allow"').replace('cordon run', `${cordonProgram()} run`);

function install(home: string, agent: string): void {
  const settings = filesOf(agent);
  expect(settings.length).toBe(2);
  for (const { name, text } of settings) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    const known =
      name.endsWith('settings.json') && agent === 'Gemini CLI' ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
    const content = known === undefined ? adapted(text) : JSON.stringify({ ...known, ...JSON.parse(text) });
    writeFileSync(path, content, { mode: name.endsWith('.json') ? 0o600 : 0o755 });
  }
  const { uid, gid } = identityOf('cordon-test');
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
}

describe.each(HOOKED)('the hook of $name', ({ name, addresses, command }) => {
  it("runs the agent's command through Cordon: none of the operator's secrets, the marker, the work stays", async () => {
    const scene = new AgentScene('.other/auth.json');
    const model = await startModel('sh ./look-around.sh; echo "marker $CORDON" >> dump.txt; echo looked');
    try {
      install(scene.home, name);
      const more = { ...addresses(model.address), PATH: `${dirname(cordonProgram())}:${scene.environment.PATH}` };
      const ran = await scene.run(command(model.address), more, 'Look around in this folder.');
      const dump = scene.dump();
      const all = [ran.code, ran.stdout.slice(-2000), ran.stderr.slice(-2000), dump.slice(0, 2000)].join('\n');
      expect(dump, all).toContain('== end');
      expect(dump, all).toContain('marker defaults');
      expect(scene.found(dump), all).toEqual([]);
      expect(scene.keysIn(dump), all).toEqual([]);
    } finally {
      model.close();
    }
  });
});
