import { describe, expect, test } from 'vitest';
import type { CommandRequest } from '../../src/agents/adapter.ts';
import { agentConfigOf } from '../../src/agents/config/read.ts';
import { BUILT_IN_ADAPTERS, findAdapter } from '../../src/agents/registry.ts';
import { bytesOfText } from '../../src/host/bytes.ts';

const request = (changes: Partial<CommandRequest> = {}): CommandRequest => ({
  prompt: bytesOfText('fix it'),
  workdir: bytesOfText('/work folder'),
  unasked: true,
  has: () => false,
  address: () => undefined,
  ...changes,
});

const named = (name: string) => findAdapter(name, BUILT_IN_ADAPTERS);
const MEGABYTE = bytesOfText('x'.repeat(1024 * 1024));

describe('the command lines of today', () => {
  test.each([
    [
      'claude',
      ['--print', '--output-format', 'stream-json', '--verbose', '--model', 'm', '--dangerously-skip-permissions'],
    ],
    [
      'codex',
      [
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--cd',
        '/work folder',
        '--model',
        'm',
        '--dangerously-bypass-approvals-and-sandbox',
        '-',
      ],
    ],
    ['gemini', ['--output-format', 'stream-json', '--model', 'm', '--approval-mode', 'yolo', '--skip-trust']],
    ['qwen', ['--output-format', 'stream-json', '--model', 'm', '--approval-mode', 'yolo']],
    ['opencode', ['run', '--format', 'json', '--dir', '/work folder', '--model', 'm', '--auto']],
    ['amp', ['--execute', '--stream-json', '--no-notifications', '--mode', 'm']],
    ['goose', ['run', '--no-session', '--quiet', '--model', 'm', '--instructions', '-']],
  ])('%s takes its prompt over stdin', (name, args) => {
    expect(named(name).command(request({ model: bytesOfText('m') }))).toEqual({ args, stdin: 'fix it' });
  });

  test.each([
    ['cursor', ['--print', '--output-format', 'stream-json', '--force', '--', 'fix it']],
    [
      'copilot',
      ['--silent', '--no-color', '--no-auto-update', '--allow-all-tools', '--no-ask-user', '--prompt=fix it'],
    ],
    ['generic', ['-c', '--', 'fix it']],
  ])('%s as an argument that is no flag', (name, args) => {
    expect(named(name).command(request())).toEqual({ args });
  });

  test.each(BUILT_IN_ADAPTERS.map(({ name }) => name))('%s: a prompt of 1 MB, or one that begins with -', (name) => {
    const long = named(name).command(request({ prompt: MEGABYTE }));
    expect(long.stdin).toBe(MEGABYTE);
    expect(Math.max(...long.args.map(({ length }) => length))).toBeLessThan(1000);
    const { args, stdin } = named(name).command(request({ prompt: bytesOfText('--help') }));
    const at = args.indexOf('--help');
    expect(stdin === '--help' || at === -1 || args.indexOf('--') < at).toBe(true);
    expect(args.slice(0, at === -1 ? undefined : args.indexOf('--'))).not.toContain('--help');
  });

  test.each(BUILT_IN_ADAPTERS.map(({ name }) => name))(
    '%s keeps its own permissions where that is asked for',
    (name) => {
      const { args } = named(name).command(request({ unasked: false }));
      expect(args.join(' ')).not.toMatch(/dangerously|yolo|--auto\b|--force|--yes|--allow-all|skip-trust/);
    },
  );

  test('codex is told about a key by its name, never its value', () => {
    const { args } = named('codex').command(
      request({ has: (name) => name === 'OPENAI_API_KEY', address: () => 'https://gateway.internal/v1' }),
    );
    expect(args.join(' ')).toContain('base_url="https://gateway.internal/v1",env_key="OPENAI_API_KEY"');
    expect(
      named('qwen')
        .command(request({ has: () => true }))
        .args.join(' '),
    ).toContain('--auth-type openai');
  });
});

describe('a command from the configuration', () => {
  const filled = (command: (string | string[])[], changes: Partial<CommandRequest> = {}) =>
    findAdapter('x', agentConfigOf({ agents: { x: { command } } }).adapters).command(request(changes));

  test('placeholders are filled in, wherever they stand', () => {
    expect(filled(['x', '--dir={workdir}', '--', '{prompt}'])).toEqual({
      args: ['--dir=/work folder', '--', 'fix it'],
    });
  });

  test('a list is left out when it has no value', () => {
    const command = ['x', ['--model', '{model}'], '--task={prompt}'];
    expect(filled(command)).toEqual({ args: ['--task=fix it'] });
    expect(filled(command, { model: bytesOfText('m') })).toEqual({ args: ['--model', 'm', '--task=fix it'] });
    expect(() => filled(['x', '{model}'])).toThrow('needs a model');
  });

  test('without {prompt} it goes over stdin', () => {
    expect(filled(['x', '-'], { prompt: MEGABYTE })).toEqual({ args: ['-'], stdin: MEGABYTE });
  });

  test('nothing in a prompt is a placeholder', () => {
    expect(filled(['x', '--', '{prompt}'], { prompt: bytesOfText('{model} $& {prompt}') }).args).toEqual([
      '--',
      '{model} $& {prompt}',
    ]);
  });

  test('what could go wrong is refused', () => {
    expect(() => filled(['x', '-p', '{prompt}'], { prompt: bytesOfText('-rf') })).toThrow('could be taken for a flag');
    expect(() => filled(['x', '--', '{prompt}'], { prompt: MEGABYTE })).toThrow('more than the kernel takes');
  });
});
