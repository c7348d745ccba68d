import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { following, SHAPES } from '../../src/cli/completion-words.ts';
import { usageOf } from '../../src/cli/help.ts';
import { cordonProgram, freshHome, type Ran, runAs, runCordon } from '../support/cordon.ts';
import { wordsOf } from './usage-words.ts';

const TYPE = fileURLToPath(new URL('type-and-complete.py', import.meta.url));
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A home with a profile, a tool, an agent and a role of its own, and the three scripts. */
function scene(): string {
  const home = freshHome('root');
  const config = join(home, '.config/cordon');
  mkdirSync(join(config, 'profiles'), { recursive: true });
  mkdirSync(join(home, 'a folder'));
  writeFileSync(join(home, 'a file.toml'), '');
  writeFileSync(join(config, 'profiles', 'webshop.json'), '{}');
  const text =
    '[tools.ruff]\nenv_base = "none"\n[agents.reviewer]\ncommand = ["true"]\n[roles.release]\nallow = ["A"]\n';
  writeFileSync(join(config, 'cordon.toml'), text);
  for (const shell of SHELLS)
    writeFileSync(join(home, `cordon.${shell}`), runCordon(['completion', shell], { home }).stdout);
  return home;
}

const HOME = scene();

function inShell(program: string, args: readonly string[]): Ran {
  const env = { PATH: `${dirname(cordonProgram())}:/usr/local/bin:/usr/bin:/bin`, TERM: 'dumb', MY_VARIABLE: '1' };
  return runAs(program, args, { home: HOME, env });
}

const lines = (text: string) => text.split('\n').filter(Boolean);

/** Calls the function as bash does, with the line taken apart as bash does it. */
function inBash(line: string): string[] {
  const words = [...line.matchAll(/[=:@]+|[^ =:@]+| $/g)].map(([word]) => word.trim());
  const script = `source cordon.bash; COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cordon; ((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines(inShell('bash', ['--norc', '-c', script, 'bash', line, ...words]).stdout);
}

/** Its engine tells what it would offer. */
function inFish(line: string): string[] {
  const ran = inShell('fish', ['--no-config', '-c', 'source cordon.fish; complete -C $argv[1]', line]);
  return lines(ran.stdout).map((offer) => offer.split('\t')[0] as string);
}

function typed(shell: Exclude<Shell, 'zsh'>, line: string, pattern: string): Ran {
  const start = {
    bash: ['bash', '--rcfile', rc('PS1="ready>"; source cordon.bash'), '-i'],
    fish: ['fish', '--no-config', '-C', 'function fish_prompt; echo "ready>"; end; source cordon.fish', '-i'],
  }[shell];
  return inShell('python3', [TYPE, pattern, line, ...start]);
}

function rc(text: string): string {
  writeFileSync(join(HOME, 'rc'), `${text}\n`);
  return join(HOME, 'rc');
}

const CASES: readonly { line: string; has: readonly string[]; hasNot?: readonly string[] }[] = [
  { line: 'cordon ', has: ['run', 'explain', 'profile', 'completion', 'help'] },
  { line: 'cordon r', has: ['run'], hasNot: ['explain'] },
  { line: 'cordon run --ba', has: ['--base'], hasNot: ['--allow'] },
  { line: 'cordon run --base ', has: ['all', 'none', 'os-common', 'agent'] },
  { line: 'cordon run --fs ', has: ['all', 'guarded', 'workspace', 'minimal'] },
  { line: 'cordon run --profile ', has: ['webshop', 'locked', 'claude-code'] },
  { line: 'cordon run --base none --profile web', has: ['webshop'], hasNot: ['locked'] },
  { line: 'cordon run --tool ', has: ['ruff'] },
  { line: 'cordon run --agent ', has: ['claude', 'codex', 'reviewer'] },
  { line: 'cordon run --agent claude --role ', has: ['release'] },
  { line: 'cordon run --allow MY_', has: ['MY_VARIABLE'] },
  { line: 'cordon run true', has: ['true'] },
  { line: 'cordon run --base none -- tru', has: ['true'] },
  { line: 'cordon explain MY_', has: ['MY_VARIABLE'] },
  { line: 'cordon agent ', has: ['list', 'run', 'env', 'command'] },
  { line: 'cordon agent run ', has: ['claude', 'reviewer'] },
  { line: 'cordon agent run --mod', has: ['--model', '--mode'] },
  { line: 'cordon creds ', has: ['set', 'list', 'test', 'rm', 'init'] },
  { line: 'cordon profile show ', has: ['webshop', 'default'] },
  { line: 'cordon profile diff default ', has: ['webshop', 'locked'] },
  { line: 'cordon profile init --agent ', has: ['claude-code', 'none'], hasNot: ['reviewer'] },
  { line: 'cordon tool config ', has: ['ruff'] },
  { line: 'cordon tool config ruff ', has: ['env', 'fs'] },
  { line: 'cordon tool config ruff env ', has: ['list', 'base', 'allow', 'deny', 'reset'] },
  { line: 'cordon tool config ruff env base ', has: ['all', 'none', 'os-common'] },
  { line: 'cordon tool config ruff fs base ', has: ['guarded', 'workspace'] },
  { line: 'cordon tool config ruff fs ', has: ['write', 'read', 'hide', 'expose', 'workspace'], hasNot: ['ro', 'rw'] },
  { line: 'cordon tool config ruff fs workspace a', has: ['aside'] },
  { line: 'cordon run --wr', has: ['--write'], hasNot: ['--read'] },
  { line: 'cordon run --workspace a', has: ['aside'], hasNot: ['read-only'] },
  { line: 'cordon tool remove ', has: ['ruff'] },
  { line: 'cordon tool path ', has: ['bash', 'zsh', 'fish'] },
  { line: 'cordon check --as ', has: ['workflow', 'dockerfile'] },
  { line: 'cordon check --format ', has: ['text', 'json', 'sarif'] },
  { line: 'cordon serve token ', has: ['add', 'list', 'rm'] },
  { line: 'cordon completion ', has: ['bash', 'zsh', 'fish'], hasNot: ['words'] },
  { line: 'cordon help ', has: ['run', 'doctor'] },
];

describe('what completion offers', () => {
  it.each(CASES)('bash: $line', ({ line, has, hasNot = [] }) => {
    const offered = inBash(line);
    expect(offered).toEqual(expect.arrayContaining([...has]));
    for (const word of hasNot) expect(offered).not.toContain(word);
  });

  it.each(CASES)('fish: $line', ({ line, has, hasNot = [] }) => {
    const offered = inFish(line);
    expect(offered).toEqual(expect.arrayContaining([...has]));
    for (const word of hasNot) expect(offered).not.toContain(word);
  });

  it('a value behind = too', () => {
    expect(inBash('cordon run --base=o')).toEqual(['os-common']);
    expect(inBash('cordon run --base=')).toContain('os-common');
    expect(inFish('cordon run --base=o')).toEqual(['--base=os-common']);
  });

  it('a word with @ or : in it is one word, of which bash puts in what is behind', () => {
    expect(inBash('cordon run --net @npm --ba')).toEqual(['--base']);
    expect(inBash('cordon run --broker KEY@api.test:443 --ba')).toEqual(['--base']);
    expect(inBash('cordon run --net @np')).toEqual([]);
    writeFileSync(join(HOME, 'at@file.toml'), '');
    expect(inBash('cordon check at@fi')).toEqual(['file.toml']);
  });

  it('files and folders, with a space in their names', () => {
    expect(inBash('cordon check a')).toEqual(expect.arrayContaining(['a file.toml', 'a folder']));
    expect(inBash('cordon agent run --workdir a')).toEqual(['a folder']);
    expect(inBash('cordon run --workspace a')).toEqual(expect.arrayContaining(['aside', 'a folder']));
    expect(inBash('cordon run --hide a')).toEqual(expect.arrayContaining(['a file.toml', 'a folder']));
    expect(inFish('cordon agent run --workdir a')).toEqual(['a folder/']);
    expect(inFish('cordon run --profile a')).toEqual(expect.arrayContaining(['agent', 'a file.toml']));
  });

  it('no names where cordon.toml is broken, and no word about it', () => {
    const home = freshHome('root');
    mkdirSync(join(home, '.config/cordon'), { recursive: true });
    writeFileSync(join(home, '.config/cordon/cordon.toml'), '[tools');
    const ran = runCordon(['completion', 'words', '--', 'tool', 'remove', ''], { home });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^--except/);
  });

  it('never what would be run by the shell: a name is inserted in quotes', () => {
    const home = freshHome('root');
    mkdirSync(join(home, '.config/cordon'), { recursive: true });
    writeFileSync(join(home, '.config/cordon/cordon.toml'), '[roles."$(touch pwned)"]\nallow = ["A"]\n');
    writeFileSync(join(home, 'cordon.bash'), runCordon(['completion', 'bash'], { home }).stdout);
    const script = `source cordon.bash; COMP_WORDS=(cordon run --agent claude --role ''); COMP_CWORD=5; _cordon; printf '%s\\n' "\${COMPREPLY[@]}"; ls`;
    const env = { PATH: `${dirname(cordonProgram())}:/usr/bin:/bin` };
    const { stdout } = runAs('bash', ['--norc', '-c', script], { home, env });
    expect(lines(stdout)).toEqual(['\\$\\(touch\\ pwned\\)', 'cordon.bash']);
  });
});

describe('in a shell on a terminal', () => {
  it.each(['bash', 'fish'] as const)('%s completes what is typed', (shell) => {
    expect(typed(shell, 'cordon run --base os', 'os-common')).toMatchObject({ code: 0 });
  });

  it.each([
    ['in a folder of fpath', 'fpath=(~/functions $fpath)', ''],
    ['taken in after compinit', '', 'source ~/cordon.zsh'],
  ])('zsh completes what is typed, with the script %s', (_, before, after) => {
    mkdirSync(join(HOME, 'functions'), { recursive: true });
    writeFileSync(join(HOME, 'functions', '_cordon'), runCordon(['completion', 'zsh'], { home: HOME }).stdout);
    writeFileSync(join(HOME, '.zshrc'), `${before}\nautoload -Uz compinit; compinit -u -D\n${after}\nPS1='ready>'\n`);
    const zsh = (line: string, pattern: string) =>
      inShell('python3', [TYPE, pattern, line, 'zsh', '-o', 'no_global_rcs', '-i']);
    expect(zsh('cordon run --base os', 'os-common')).toMatchObject({ code: 0 });
    expect(zsh('cordon run --base=os', 'os-common')).toMatchObject({ code: 0 });
    expect(zsh('cordon run --profile webs', 'webshop')).toMatchObject({ code: 0 });
    expect(zsh('cordon run -- tru', 'true')).toMatchObject({ code: 0 });
    expect(zsh('cordon tool config ru', 'ruff')).toMatchObject({ code: 0 });
    expect(zsh('cordon check a\\ fi', 'toml')).toMatchObject({ code: 0 });
    expect(zsh('cordon run --expose=a\\ fi', 'toml')).toMatchObject({ code: 0 });
  });
});

describe('the table of shapes', () => {
  const usage = COMMANDS.flatMap((command) => usageOf(command).map(({ term }) => term.replace('cordon ', '')));

  it('knows every subcommand that the help shows', () => {
    for (const command of COMMANDS) expect(following([command.name])).toEqual(expect.arrayContaining(wordsOf(command)));
  });

  it('knows nothing that the help does not show', () => {
    for (const shape of SHAPES.filter((one) => !one.startsWith('help')))
      for (const word of shape.split(/[ |]/).filter((one) => /^[a-z]/.test(one)))
        expect(usage.join(' ')).toMatch(new RegExp(`(^|[ |[])${word}([ |\\]]|$)`));
  });
});
