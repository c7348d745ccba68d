import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { ROOT } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { type Block, blocksOf, PAGES, type Session, sessionsOf } from './docs-blocks.ts';
import { openScene, READER, type Scene, type } from './docs-scene.ts';

const ALL = PAGES.flatMap(sessionsOf).map((session) => ({
  ...session,
  name: `${session.block.page}:${session.block.line}`,
}));

const SESSIONS = ALL.filter(({ block }) => !block.notes.has('by'));

/** A build, an installation or a proof takes its time on a busy machine. */
const LONG = { timeout: 400_000 };

/** A test has servers of its own for what these name. */
const FLAGS_WITH_HOSTS = ['--broker', '--net'];

const needsOf = ({ notes }: Block) => notes.get('needs')?.split(' ') ?? [];

/** `…` stands for anything on its line; a lone one for any lines. */
function matcher(prints: string): RegExp {
  const literal = (line: string) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^\\n]*');
  const lines = prints.split('\n').map((line) => (line === '…' ? '(?:[^\\n]*\\n)*' : `${literal(line)}\\n`));
  return new RegExp(`^${lines.join('')}$`);
}

function play({ block, prints }: Session): void {
  const { notes } = block;
  const scene = openScene(needsOf(block));
  const ran = type(scene, block.text, notes.get('stdin'));
  const code = Number(notes.get('exit') ?? 0);
  const said = ran.stderr.replace(code === 0 ? '' : /\[at: .*\]\n$/, '');
  expect(ran.code, `${ran.stdout}${ran.stderr}`).toBe(code);
  if (prints === undefined) return;
  const shown = (notes.get('from') === 'stdout' ? ran.stdout : said).replaceAll(scene.home, '~');
  expect(shown).toMatch(matcher(prints));
}

/** What runs until it is told to end is started, seen to work, and told. */
async function playUntil({ block }: Session): Promise<void> {
  const { notes, text } = block;
  const scene = openScene(needsOf(block));
  const started = start(scene, `${text.trimEnd()} ${notes.get('with') ?? ''}`);
  const seen = await readUntil(started, notes.get('until') as string);
  started.kill('SIGTERM');
  const [code] = await once(started, 'close');
  expect(code, seen).toBe(0);
}

/** The last command takes the place of the shell, so that it is told itself. */
function start({ home, cwd, env, place }: Scene, text: string) {
  const { uid, gid } = identityOf(READER);
  const options = { cwd, env: { ...env, HOME: home }, uid, gid } as const;
  const lines = place(text).trimEnd().split('\n');
  lines.push(`exec ${lines.pop()}`);
  return spawn('bash', ['-ec', lines.join('\n')], options);
}

async function readUntil(child: ReturnType<typeof start>, text: string): Promise<string> {
  let seen = '';
  for await (const chunk of child.stderr) {
    seen += chunk;
    if (seen.includes(text)) return seen;
  }
  throw new Error(`it ended without saying '${text}': ${seen}`);
}

describe('every command of the pages', () => {
  const [lasting, others] = [true, false].map((lasts) =>
    SESSIONS.filter(({ block }) => block.notes.has('until') === lasts),
  ) as [typeof SESSIONS, typeof SESSIONS];

  it.each(others)('$name does what the page says', LONG, (session) => play(session));
  it.each(lasting)('$name runs until it is told to end', LONG, (session) => playUntil(session));

  it.each(ALL.filter(({ block }) => block.notes.has('by')))(
    '$name takes long or needs hosts: what it names is there, and run by what it says',
    ({ block }) => {
      const names = block.text.replace(/#.*$/gm, '').match(/(?:scripts|bench|\.ci)\/[\w.-]+|(?<=npm run )\w+/g) ?? [];
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
      for (const name of names) expect(existsSync(join(ROOT, name)) || Object.hasOwn(scripts, name), name).toBe(true);
      const run = names.length > 0 ? names.map((name) => basename(name)) : FLAGS_WITH_HOSTS;
      for (const file of block.notes.get('by')?.split(' ') ?? []) {
        const text = readFileSync(join(ROOT, file), 'utf8');
        expect(
          run.some((word) => text.includes(word)),
          file,
        ).toBe(true);
      }
    },
  );

  it('is in a block that says so, so that it is run', () => {
    const hidden = PAGES.flatMap(blocksOf).filter(
      ({ language, text }) =>
        !['sh', 'toml', 'yaml'].includes(language) &&
        /^(\$ )?(\.\/scripts\/|\.ci\/|cordon |npm |npx |node )/m.test(text) &&
        !(language === 'text' && /^cordon: /m.test(text)),
    );
    expect(hidden.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});

describe('every workflow of the pages', () => {
  const workflows = PAGES.flatMap(blocksOf).flatMap(({ page, line, language, text }) => {
    const [, path] = /^# (\.github\/workflows\/\S+)$/m.exec(text) ?? [];
    return language === 'yaml' && path !== undefined ? [{ name: `${page}:${line}`, path, text }] : [];
  });

  it.each(workflows)('$name is fine for cordon check', ({ path, text }) => {
    const script = `cat > ${path}\ncordon check ${path}`;
    expect(type(openScene([]), script, text)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('every example of --help', () => {
  /** `words` stand behind what a person types: nobody answers here. */
  const NEEDS: Readonly<Record<string, { needs?: string; stdin?: string; until?: string; words?: string }>> = {
    'cordon run --allow': { needs: 'terraform' },
    'cordon agent run claude': { needs: 'claude' },
    'cordon prove --profile': { needs: 'profile:web' },
    'cordon creds set': { stdin: 'stand-in-value' },
    'cordon tool config ruff': { needs: 'ruff' },
    'cordon serve --workspaces': { until: 'listening' },
    'cordon import': { needs: 'codex-settings' },
    'cordon trust': { needs: 'project-policy', words: '--yes' },
  };
  /** No image is fetched from anywhere: test/containers starts what `--in` says in images of its own. */
  const examples = COMMANDS.flatMap(({ examples: lines }) =>
    lines.filter((line) => !line.includes('--in ')).map((line) => ({ line })),
  );

  it.each(examples)('$line', LONG, async ({ line }) => {
    const {
      needs,
      stdin,
      until,
      words = '',
    } = Object.entries(NEEDS).find(([start_]) => line.startsWith(start_))?.[1] ?? {};
    const notes = new Map(Object.entries({ needs, stdin, until }).filter(([, value]) => value !== undefined)) as Map<
      string,
      string
    >;
    const block: Block = { page: '--help', line: 0, language: 'sh', text: `${line} ${words}`, notes, before: [] };
    if (until === undefined) play({ block, prints: undefined });
    else
      await playUntil({
        block: { ...block, notes: new Map([...notes, ['with', '--listen 127.0.0.1:0']]) },
        prints: undefined,
      });
  });
});
