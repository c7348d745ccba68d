import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Place } from '../agents/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { identityOf, USERS } from '../support/users.ts';

describe.each(USERS)('as %s', (user) => {
  const said = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
    code,
    stdout,
    stderr,
  });

  test('not installed: how to install it', () => {
    expect(said(new Place(user).cordon(['agent', 'run', 'codex', 'x']))).toEqual({
      code: 127,
      stdout: '',
      stderr:
        "cordon: the agent codex is not installed: there is no 'codex' on PATH\n  hint: install it: npm install -g @openai/codex\n",
    });
  });

  test('strict: the hint names what asked for it', () => {
    const place = new Place(user);
    place.standIn('claude', '#!/bin/sh\n');
    const args = ['run', '--agent', 'claude', '--mode', 'strict', '--allow', 'DEPLOY_TOKEN', '--', 'true'];
    const { code, stderr } = place.cordon(args, { DEPLOY_TOKEN: 'x' });
    expect(code).toBe(125);
    expect(stderr).toContain('the credential guard forbids this launch: DEPLOY_TOKEN');
    expect(stderr).toContain('--guard forbid or --mode strict');
  });

  test('not logged in', () => {
    const place = new Place(user);
    place.standIn(
      'gemini',
      '#!/bin/sh\ncat >/dev/null; echo "Please set an Auth method in your settings.json" >&2; exit 41\n',
    );
    const { code, stderr } = place.cordon(['agent', 'run', 'gemini', 'x']);
    expect(code).toBe(41);
    expect(stderr).toContain(
      'cordon: gemini is not logged in\n  hint: start `gemini` once and log in, or set GEMINI_API_KEY\n',
    );
  });

  test('it crashes', () => {
    const place = new Place(user);
    place.standIn('claude', '#!/bin/sh\nkill -SEGV $$\n');
    expect(said(place.cordon(['agent', 'run', 'claude', 'x']))).toEqual({
      code: 139,
      stdout: '',
      stderr: 'cordon: claude was ended by signal 11\n',
    });
    place.standIn('claude', '#!/bin/sh\nexit 3\n');
    expect(said(place.cordon(['agent', 'run', 'claude', 'x']))).toEqual({
      code: 3,
      stdout: '',
      stderr: 'cordon: claude ended with exit code 3\n',
    });
  });

  test('it prints garbage', () => {
    const place = new Place(user);
    place.standIn(
      'claude',
      `#!/bin/sh
printf 'not json\\n{"type":\\n\\033]0;title\\007\\377\\n{"type":"assistant","message":{"content":[{"type":"text","text":"still here"}]}}'
`,
    );
    const { code, stdout, stderr } = place.cordon(['agent', 'run', 'claude', 'x']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stderr: '',
      stdout: 'not json\n{"type":\n\\x1b]0;title\\x07\ufffd\nstill here\n',
    });
  });

  test('it hangs, and does not listen either', () => {
    const place = new Place(user);
    place.standIn(
      'claude',
      '#!/bin/sh\ntrap "" TERM\necho \'{"type":"assistant","message":{"content":"waiting"}}\'\nwhile :; do sleep 1; done\n',
    );
    const { code, stdout, stderr } = place.cordon(['agent', 'run', 'claude', '--timeout', '4', 'x']);
    expect({ code, stdout }).toEqual({ code: 124, stdout: 'waiting\n' });
    expect(stderr).toContain('cordon: claude was ended after 4 s\n  hint: give it longer with --timeout SECONDS\n');
  });

  test.each(['0', 'x', '-1', ''])('--timeout %s', (limit) => {
    expect(new Place(user).cordon(['agent', 'run', 'generic', `--timeout=${limit}`, 'x'])).toMatchObject({ code: 125 });
  });

  test.each([
    ['shown', []],
    ['passed through', ['--json']],
  ])('1 GB of output, %s, takes no more memory than a little', (_, flags) => {
    const place = new Place(user);
    place.standIn(
      'claude',
      `#!/usr/bin/python3
import json, os
line = (json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "x" * 99_000}]}}) + "\\n").encode()
for _ in range(10_100): os.write(1, line) == len(line) or exit(1)
`,
    );
    const measure = `import resource, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
n = 0
while True:
    c = p.stdout.read(1 << 20)
    if not c: break
    n += len(c)
p.wait()
print(p.returncode, n, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`;
    const args = ['-c', measure, cordonProgram(), 'agent', 'run', 'claude', ...flags, 'x'];
    const { stdout } = spawnSync('python3', args, {
      ...identityOf(user),
      cwd: place.work,
      env: place.env,
      encoding: 'utf8',
    });
    const [code, bytes, kilobytes] = stdout.split(' ').map(Number) as [number, number, number];
    expect(code).toBe(0);
    expect(bytes).toBeGreaterThan(999_000_000);
    expect(kilobytes).toBeLessThan(400_000);
  });

  test('the working folder is missing, or no folder', () => {
    const place = new Place(user);
    const file = place.file('file', '');
    expect(place.cordon(['agent', 'run', 'generic', '--workdir', '/nowhere/at/all', 'x']).stderr).toBe(
      "cordon: the working folder '/nowhere/at/all' does not exist\n  hint: make it, or give another with --workdir\n",
    );
    expect(place.cordon(['agent', 'run', 'generic', '--workdir', file, 'x']).stderr).toContain('is not a folder');
    expect(place.cordon(['agent', 'run', 'generic', '--workdir', place.home, 'pwd']).stdout).toBe(`${place.home}\n`);
  });

  test('a prompt of 1 MB arrives whole', () => {
    const place = new Place(user);
    place.standIn('claude', '#!/bin/sh\nwc -c > "$PWD/length"; echo "$# $*" > "$PWD/arguments"\n');
    const ran = place.cordon(['agent', 'run', 'claude', '-'], {}, 'p'.repeat(1024 * 1024));
    expect(ran.code).toBe(0);
    expect(spawnSync('cat', [join(place.work, 'length')], { encoding: 'utf8' }).stdout.trim()).toBe('1048576');
    const long = place.cordon(['agent', 'run', 'generic', '-'], {}, `: ${'x'.repeat(1024 * 1024)}\necho done\n`);
    expect(long).toMatchObject({ code: 0, stdout: 'done\n' });
  });

  test('a prompt that begins with - is no flag', () => {
    const place = new Place(user);
    place.standIn('claude', '#!/bin/sh\ncat > "$PWD/prompt"; for a; do [ "$a" = --version ] && exit 9; done; exit 0\n');
    const prompt = () => spawnSync('cat', [join(place.work, 'prompt')], { encoding: 'utf8' }).stdout;
    expect(place.cordon(['agent', 'run', 'claude', '--', '--version']).code).toBe(0);
    expect(prompt()).toBe('--version');
    expect(place.cordon(['agent', 'run', 'claude', '-v is not a flag here']).code).toBe(0);
    expect(prompt()).toBe('-v is not a flag here');
    expect(place.cordon(['agent', 'run', 'claude', '--versoin']).stderr).toBe(
      'cordon: unknown flag --versoin\n  hint: see cordon agent --help; a prompt that begins with - comes after --\n',
    );
  });

  test('an empty prompt, or one with a NUL', () => {
    const place = new Place(user);
    place.standIn('claude');
    expect(place.cordon(['agent', 'run', 'claude', '']).stderr).toContain('the prompt is empty');
    expect(place.cordon(['agent', 'run', 'claude', '-'], {}, 'a\0b').stderr).toContain('the prompt holds a NUL byte');
  });

  test('unknown agent, unknown role, unknown subcommand', () => {
    const place = new Place(user);
    place.toml('[roles.reviewer]\n');
    const error = (...args: string[]) => place.cordon(args).stderr;
    expect(error('agent', 'run', 'cluade', 'x')).toBe(
      "cordon: there is no agent 'cluade'\n  hint: did you mean claude?\n",
    );
    expect(error('run', '--agent', 'gemni', '--', 'env')).toContain('did you mean gemini?');
    expect(error('agent', 'run', 'generic', '--role', 'reviwer', 'x')).toContain(
      "there is no role 'reviwer'\n  hint: did you mean reviewer?",
    );
    expect(error('agent', 'rnu', 'claude', 'x')).toContain('did you mean cordon agent run?');
    expect(error('agent', 'run')).toContain('which agent?');
    expect(error('run', '--role', 'reviewer', '--', 'env')).toContain('--role needs an agent');
  });

  test('a bad configuration is refused whole, with every place, and no value', () => {
    const place = new Place(user);
    place.toml(`[agents.mine]
comand = ["mine"]
[agents.other]
command = ["other", "{promt}"]
extra_keys = ["A*", "LD_PRELOAD"]
[agents.claude.credentials]
ANTHROPIC_API_KEYS = "sk-ant-a-secret-by-mistake"
[roles.r]
allow = ["@proxi"]
profil = "x"
[scopes."a-*"]
keys = ["ANTHROPIC_API_KEYS"]
[tools.ls]
env_bas = "none"
`);
    const { code, stdout, stderr } = place.cordon(['agent', 'run', 'generic', 'echo started']);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    const file = join(place.config, 'cordon.toml');
    const lines = stderr.split('\n').filter((line) => line.startsWith('cordon: '));
    expect(lines).toEqual(
      [
        "1:9: the agent 'mine' has no command",
        "2:1: unknown key 'comand'",
        '4:21: there is no placeholder {promt}',
        "5:15: 'A*' cannot be an extra key: extra keys are exact names, since they pass the credential guard",
        "5:21: 'LD_PRELOAD' cannot be an extra key: it is on the code-injection list, which nothing overrides",
        "7:1: 'ANTHROPIC_API_KEYS' is not one of its keys",
        "9:10: there is no preset '@proxi' to allow",
        "10:1: unknown key 'profil'",
        "12:9: no agent or role knows the key 'ANTHROPIC_API_KEYS'",
      ].map((line) => `cordon: ${file}:${line}`),
    );
    expect(stderr).toContain('did you mean command?');
    expect(stderr).toContain('did you mean {prompt}?');
    expect(stderr).toContain('did you mean ANTHROPIC_API_KEY?');
    expect(stderr).not.toContain('by-mistake');
  });
});
