import { existsSync, lstatSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ToolBox } from '../tools/support.ts';

const OS_COMMON = 'HOME PATH XDG_* NO_COLOR FORCE_COLOR TERM COLORTERM LANG LC_* USER LOGNAME TMPDIR SHELL TZ';

function boxWithRuff(): ToolBox {
  const box = new ToolBox();
  box.tool('ruff', '#!/bin/sh\nenv -0\n');
  return box;
}

test('the quick start, word for word', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'env', 'base', 'os-common');
  box.did('tool', 'config', 'ruff', 'env', 'allow', '*RUFF*');
  box.did('tool', 'config', 'ruff', 'env', 'deny', 'RUFF_SECRET_TOKEN');
  const expected = `env policy for ruff:\nbase : os-common (${OS_COMMON})\nallow: *RUFF*\ndeny : RUFF_SECRET_TOKEN\n`;
  expect(box.did('tool', 'config', 'ruff', 'env', 'list')).toBe(expected);
  expect(box.did('tool', 'config', 'ruff', 'env')).toBe(expected);
  expect(box.policy()).toBe(
    '[tools.ruff]\nenv_base = "os-common"\nenv_allow = ["*RUFF*"]\n\n[tools.ruff.env_deny]\n"RUFF_SECRET_TOKEN" = {}\n',
  );
});

test('without a policy', () => {
  const box = boxWithRuff();
  const expected =
    'env policy for ruff:\nbase : all\nallow: (none)\ndeny : (none)\nno policy — tool runs with full environment (symlink)\n';
  expect(box.did('tool', 'config', 'ruff', 'env', 'list')).toBe(expected);
  expect(existsSync(box.config)).toBe(false);
  box.did('tool', 'add', 'ruff');
  expect(box.did('tool', 'config', 'ruff', 'env', 'list')).toBe(expected);
  box.did('tool', 'config', 'ruff', 'env', 'base', 'none');
  expect(box.did('tool', 'config', 'ruff', 'env', 'reset')).toBe(expected);
  expect(box.policy()).toBe('[tools.ruff]\n');
});

test('calls accumulate without duplicates, and exceptions are bound to the patterns of their call', () => {
  const box = boxWithRuff();
  const env = (...args: string[]) => box.did('tool', 'config', 'ruff', 'env', ...args);
  env('allow', 'A', 'B', 'A');
  env('allow', 'B', 'C');
  env('deny', '*TOKEN*', '*KEY*', '--except', 'GH_TOKEN', 'GH_KEY');
  env('deny', '*SECRET*');
  env('deny', '*TOKEN*', '--except', 'NPM_TOKEN');
  expect(env('list').split('\n').slice(1, 4)).toEqual([
    'base : all',
    'allow: A B C',
    'deny : *TOKEN* (except GH_TOKEN GH_KEY NPM_TOKEN) *KEY* (except GH_TOKEN GH_KEY) *SECRET*',
  ]);
  expect(JSON.parse(env('list', '--json'))).toEqual({
    tool: 'ruff',
    base: 'all',
    allow: ['A', 'B', 'C'],
    deny: [
      { pattern: '*TOKEN*', except: ['GH_TOKEN', 'GH_KEY', 'NPM_TOKEN'] },
      { pattern: '*KEY*', except: ['GH_TOKEN', 'GH_KEY'] },
      { pattern: '*SECRET*', except: [] },
    ],
    policy: true,
  });
});

test('denying again without --except says that the exceptions stay', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'env', 'deny', '*TOKEN*', '--except', 'GH_TOKEN');
  expect(box.cordon(['tool', 'config', 'ruff', 'env', 'deny', '*TOKEN*']).stderr).toContain(
    '*TOKEN* was denied before, except GH_TOKEN: the exceptions stay',
  );
});

test('the shim stays as long as a filesystem policy remains', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'fs', 'base', 'guarded');
  box.did('tool', 'config', 'ruff', 'env', 'base', 'none');
  expect(box.did('tool', 'config', 'ruff', 'env', 'reset')).toContain(
    'no env policy — the shim stays for the fs policy\n',
  );
  expect(lstatSync(box.path('ruff')).isFile()).toBe(true);
  box.did('tool', 'config', 'ruff', 'fs', 'reset');
  expect(lstatSync(box.path('ruff')).isSymbolicLink()).toBe(true);
});

test('fs list', () => {
  const box = boxWithRuff();
  const fs = (...args: string[]) => box.did('tool', 'config', 'ruff', 'fs', ...args);
  expect(fs()).toBe(
    [
      'fs policy for ruff:',
      'base      : all (the host as it is)',
      'write     : (none)',
      'read      : (none)',
      'hide      : (none)',
      'expose    : (none)',
      'workspace : real',
      'no policy — tool sees the filesystem as it is (symlink)\n',
    ].join('\n'),
  );
  fs('base', 'guarded');
  fs('read', '/usr', 'tools');
  fs('write', '$HOME/out');
  fs('hide', '~/.cache');
  fs('expose', '~/.netrc');
  fs('workspace', 'aside');
  expect(fs('list')).toBe(
    [
      'fs policy for ruff:',
      'base      : guarded (the project you are in, of your home what programs need, the machine read-only)',
      'write     : $HOME/out',
      `read      : /usr ${box.tools}`,
      'hide      : ~/.cache',
      'expose    : ~/.netrc',
      'workspace : aside\n',
    ].join('\n'),
  );
  expect(JSON.parse(fs('list', '--json'))).toEqual({
    tool: 'ruff',
    base: 'guarded',
    write: ['$HOME/out'],
    read: ['/usr', box.tools],
    hide: ['~/.cache'],
    expose: ['~/.netrc'],
    workspace: { mode: 'aside' },
    ro: ['/usr', box.tools],
    rw: ['$HOME/out'],
    policy: true,
  });
  fs('workspace', box.tools);
  expect(JSON.parse(fs('list', '--json')).workspace).toEqual({ folder: box.tools, mode: 'aside' });
  expect(box.policy()).toContain(`fs_workspace = { folder = "${box.tools}", mode = "aside" }`);
  fs('workspace', 'real');
  expect(box.policy()).toContain(`fs_workspace = "${box.tools}"`);
  fs('reset');
  expect(box.policy()).not.toContain('fs_');
});

test('the old words of fs still work, and say the new one', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'fs', 'base', 'guarded');
  const { stdout, stderr } = box.cordon(['tool', 'config', 'ruff', 'fs', 'ro', '/usr']);
  expect(stderr).toContain('fs ro is now called fs read');
  expect(stdout).toContain('read      : /usr\n');
  expect(box.cordon(['tool', 'config', 'ruff', 'fs', 'rw', '/srv']).stderr).toContain('fs rw is now called fs write');
  expect(box.policy()).toContain('fs_read = ["/usr"]\nfs_write = ["/srv"]\n');
});

test('paths of fs that are refused', () => {
  const box = boxWithRuff();
  const refused = (...args: string[]) => {
    const { code, stderr } = box.cordon(['tool', 'config', 'ruff', 'fs', ...args]);
    expect(code).toBe(125);
    return stderr;
  };
  expect(refused('hide', '/')).toContain('/ cannot be hidden');
  expect(refused('write', '')).toContain('a path is empty');
  expect(refused('write', '$WORKDIR/x')).toContain('the working folder is another one at every start');
  expect(refused('write', '/srv/$USER')).toContain('has a $ that nothing expands');
  expect(refused('workspace', '~')).toContain('it is the home folder');
  expect(refused('workspace', 'aside', 'read-only')).toContain('one of each');
  expect(refused('wriet', '/x')).toContain('did you mean fs write?');
  box.did('tool', 'config', 'ruff', 'fs', 'hide', '~/x');
  expect(refused('write', '~/x')).toMatch(/~\/x is listed under hide \(\S+cordon\.toml:\d+:\d+\) and under write/);
});

test('tool list: a table with the numbers of now', () => {
  const box = boxWithRuff();
  expect(box.did('tool', 'list')).toBe('no tools yet; see cordon tool add\n');
  box.did('tool', 'add', 'true');
  box.did('tool', 'config', 'ruff', 'env', 'base', 'os-common');
  box.did('tool', 'config', 'ruff', 'fs', 'base', 'workspace');
  const env = { SECRET_ONE: 'x', SECRET_TWO: 'x', LANG: 'C' };
  const rows = box
    .cordon(['tool', 'list'], env)
    .stdout.trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['TOOL', 'PATH', 'RUNS', 'BASE', 'ALLOW', 'DENY', 'FS', 'PASSED', 'BLOCKED'],
    ['true', '/usr/bin/true', 'direct', 'all', '-', '-', '-', '6', '0'],
    ['ruff', join(box.tools, 'ruff'), 'shim', 'os-common', '-', '-', 'workspace', '3', '3'],
  ]);
  expect(JSON.parse(box.cordon(['tool', 'list', '--json'], env).stdout)).toMatchObject([
    { tool: 'true', fs: null },
    { tool: 'ruff', runs: 'shim', passed: 3, blocked: 3 },
  ]);
});

test('explain and run take the policy of a tool', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'env', 'base', 'none');
  box.did('tool', 'config', 'ruff', 'env', 'allow', 'RUFF_*');
  const env = { RUFF_X: '1', GH_TOKEN: 'x' };
  const decisions = JSON.parse(box.cordon(['explain', '--tool', 'ruff', '--json', 'RUFF_X', 'GH_TOKEN'], env).stdout);
  expect(decisions).toMatchObject([
    { name: 'RUFF_X', verdict: 'pass', rule: 'allow RUFF_*', origin: `${box.config}:3:14` },
    { name: 'GH_TOKEN', verdict: 'drop' },
  ]);
  expect(box.cordon(['run', '--tool', 'ruff', '--', '/usr/bin/env', '-0'], env).stdout).toBe('RUFF_X=1\0');
  expect(box.cordon(['run', '--tool', 'nosuchtool', '--', 'true'])).toMatchObject({ code: 127 });
  expect(box.cordon(['run', '--tool', 'ruff', '--profile', 'x', '--', 'true'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('--tool and --profile'),
  });
});

test('tool path prints a line for every shell, and each puts the bin folder first', () => {
  const box = boxWithRuff();
  const lines = box.did('tool', 'path');
  for (const shell of ['bash', 'zsh', 'fish']) expect(lines).toContain(box.did('tool', 'path', shell));
  expect(Object.keys((JSON.parse(box.did('tool', 'path', '--json')) as { lines: object }).lines)).toEqual([
    'bash',
    'zsh',
    'fish',
  ]);
  expect(box.did('tool', 'path', 'bash')).toBe(`export PATH='${box.bin}':"$PATH"\n`);
});

test('doctor notices when the bin folder is not on PATH or a shim is shadowed', () => {
  const box = boxWithRuff();
  const tools = (path: string) =>
    (
      JSON.parse(box.cordon(['doctor', '--json'], { PATH: path }).stdout) as {
        findings: { check: string; state: string; found: string }[];
      }
    ).findings.find(({ check }) => check === 'tools');
  expect(tools('/usr/bin:/bin')).toBeUndefined();
  box.did('tool', 'config', 'ruff', 'env', 'base', 'none');
  expect(tools(`${box.bin}:${box.tools}:/usr/bin:/bin`)).toMatchObject({ state: 'ok' });
  expect(tools('/usr/bin:/bin')).toMatchObject({ state: 'weaker', found: expect.stringContaining('is not on PATH') });
  expect(tools(`${box.tools}:${box.bin}:/usr/bin:/bin`)).toMatchObject({
    state: 'weaker',
    found: expect.stringContaining(`ruff (by ${join(box.tools, 'ruff')})`),
  });
});

test('remove lets go of everything', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'ruff', 'env', 'deny', 'X');
  expect(box.did('tool', 'remove', 'ruff')).toContain('ruff is no longer one of the tools');
  expect(readdirSync(box.bin)).toEqual([]);
  expect(existsSync(box.config)).toBe(false);
  expect(box.cordon(['tool', 'remove', 'ruff'])).toMatchObject({
    code: 127,
    stderr: expect.stringContaining("'ruff' is not one of the tools"),
  });
});

test('remove of the last one leaves a file in which something else is, and one that is a link', () => {
  const box = boxWithRuff();
  box.did('tool', 'add', 'ruff');
  box.write(box.config, `# Ours.\n${box.policy()}`);
  box.did('tool', 'remove', 'ruff');
  expect(box.policy()).toContain('# Ours.\n');
  const elsewhere = box.write(join(box.home, 'kept.toml'), '[tools.ruff]\n');
  rmSync(box.config);
  symlinkSync(elsewhere, box.config);
  box.did('tool', 'remove', 'ruff');
  expect(lstatSync(box.config).isSymbolicLink()).toBe(true);
  expect(box.policy().trim()).toBe('');
});

test('remove of several is all or nothing', () => {
  const box = boxWithRuff();
  box.did('tool', 'add', 'ruff', 'true');
  const { code, stderr } = box.cordon(['tool', 'remove', 'ruff', 'nope', 'neither']);
  expect(code).toBe(127);
  expect(stderr).toContain("'nope', 'neither' are not tools; nothing was removed");
  expect(readdirSync(box.bin).toSorted()).toEqual(['ruff', 'true']);
  box.did('tool', 'remove', 'ruff', 'true', 'ruff');
  expect(readdirSync(box.bin)).toEqual([]);
});

test('what is set and taken back again and again leaves the file as the first time did', () => {
  const box = boxWithRuff();
  box.did('tool', 'config', 'true', 'env', 'base', 'os-common');
  writeFileSync(box.config, `# mine\n\n${box.policy()}\n\n# to the end\n`);
  const cycle = () => {
    for (const [kind, ...words] of [
      ['env', 'base', 'none'],
      ['env', 'deny', '*KEY*', '--except', 'GH_KEY'],
      ['fs', 'base', 'guarded'],
      ['fs', 'read', '~/Documents'],
      ['net', 'allow', 'example.com'],
    ] as const)
      box.did('tool', 'config', 'ruff', kind, ...words);
    for (const kind of ['env', 'fs', 'net']) box.did('tool', 'config', 'ruff', kind, 'reset');
    const reset = box.policy();
    box.did('tool', 'remove', 'ruff');
    return [reset, box.policy()];
  };
  const first = cycle();
  expect(first[1]).toMatch(/^# mine\n\n\[tools\.true\]\n[\s\S]*# to the end\n/);
  for (let i = 0; i < 4; i++) expect(cycle()).toEqual(first);
});

test('add names what is not first on PATH', () => {
  const box = boxWithRuff();
  const { stdout, stderr } = box.cordon(['tool', 'add', 'ruff'], { PATH: `${box.tools}:/usr/bin` });
  expect(stdout).toBe(`ruff → ${join(box.tools, 'ruff')}\n`);
  expect(stderr).toContain('is not on PATH');
});

test('misspelled words get the nearest right one', () => {
  const box = boxWithRuff();
  const hint = (...args: string[]) => box.cordon(['tool', ...args]).stderr;
  expect(hint('ad', 'ruff')).toContain('did you mean cordon tool add?');
  expect(hint('config', 'ruff', 'env', 'bse', 'all')).toContain('did you mean env base?');
  expect(hint('config', 'ruff', 'env', 'base', 'os-comon')).toContain('did you mean os-common?');
  expect(hint('config', 'ruff', 'fs', 'base', 'gaurded')).toContain('did you mean guarded?');
  expect(hint('config', 'ruff')).toContain('env, fs, net or in');
  expect(hint('config', 'ruff', 'env', 'allow', 'X', '--except', 'Y')).toContain('--except belongs to env deny');
});
