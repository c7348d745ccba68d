import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram, runInOwnAccountHome } from '../support/cordon.ts';
import { ToolBox, variablesOf } from './support.ts';

const FILE = `# from the old machine
[tools.ruff]   # lint
env_base = "os-common"
env_allow = [
  "*RUFF*", # all of it
]
[tools.ruff.env_deny]
"RUFF_SECRET_TOKEN" = {}
"*TOKEN*" = { except = ["GH_TOKEN"] }

[tools.plain]
`;

function boxWith(...tools: string[]): ToolBox {
  const box = new ToolBox();
  for (const name of tools) box.tool(name, '#!/bin/sh\nenv -0\n');
  return box;
}

/** Other tests enter their homes in the record of this account, and a shim keeps all of them. */
function applied(box: ToolBox, ...args: string[]): string {
  const options = { home: box.home, env: box.env };
  return runInOwnAccountHome(cordonProgram(), ['tool', 'apply', ...args], options).stdout;
}

const snapshot = (box: ToolBox) =>
  readdirSync(box.cordonHome, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('state'))
    .sort();

describe('a whole file on a new machine', () => {
  test('is taken as it is, with links and shims, and says what it changed; again changes nothing', () => {
    const box = boxWith('ruff', 'plain');
    const file = box.write(join(box.home, 'theirs.toml'), FILE);
    expect(applied(box, file).split('\n')).toEqual([
      `${box.config}: written`,
      `ruff: shim written (${join(box.tools, 'ruff')})`,
      `plain: linked (${join(box.tools, 'plain')})`,
      '',
    ]);
    expect(box.policy()).toBe(FILE);
    expect(readlinkSync(box.path('plain'))).toBe(join(box.tools, 'plain'));
    const env = { PATH: '/usr/bin', RUFF_X: '1', RUFF_SECRET_TOKEN: 's', GH_TOKEN: 'g' };
    expect(Object.keys(variablesOf(box.start('ruff', [], env).stdout)).sort()).toEqual(
      expect.arrayContaining(['PATH', 'RUFF_X']),
    );
    const shim = box.shim('ruff');
    expect(applied(box, file)).toBe('nothing to change\n');
    expect(applied(box)).toBe('nothing to change\n');
    expect(box.shim('ruff')).toBe(shim);
    expect(JSON.parse(applied(box, '--json'))).toEqual({ changed: false, config: null, steps: [] });
  });

  test('an error anywhere changes nothing', () => {
    const box = boxWith('ruff');
    box.did('tool', 'config', 'ruff', 'env', 'base', 'none');
    const before = [snapshot(box), box.policy(), box.shim('ruff')];
    const bad = [
      [FILE, /'plain' is not installed/],
      [FILE.replace('os-common', 'os-comon'), /theirs\.toml:3:12: expected one of all, none, os-common/],
      [FILE.replace('"*RUFF*"', '"[RUFF"'), /theirs\.toml:5:3: pattern '\[RUFF' has a \[ without its \]/],
      [FILE.replace('[tools.plain]', '[tool.plain]'), /unknown key 'tool'[\s\S]*did you mean tools\?/],
      [FILE.replace('env_allow', 'env_alow'), /unknown key 'env_alow'[\s\S]*did you mean env_allow\?/],
      [FILE.replace('"os-common"', '"os-common'), /theirs\.toml:3:\d+: not valid TOML/],
      [FILE.replace('[tools.plain]', '[tools."a/b"]'), /'a\/b' is not the name of a command/],
    ] as const;
    for (const [text, message] of bad) {
      const { code, stdout, stderr } = box.cordon(['tool', 'apply', box.write(join(box.home, 'theirs.toml'), text)]);
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toMatch(message);
      expect([snapshot(box), box.policy(), box.shim('ruff')]).toEqual(before);
    }
  });

  test('all tools that are missing are named at once', () => {
    const box = boxWith();
    const { stderr } = box.cordon(['tool', 'apply', box.write(join(box.home, 'theirs.toml'), FILE)]);
    expect(stderr).toContain("'ruff' is not installed");
    expect(stderr).toContain("'plain' is not installed");
    expect(readdirSync(box.bin)).toEqual([]);
  });
});

test('where there are policies already, each tool of the file gets exactly its policy, and the rest of the file stays', () => {
  const box = boxWith('ruff', 'plain', 'mine');
  box.folder(box.cordonHome);
  const own = `# mine
[agents.x]
extra_keys = ["K"] # agents are not for tools

[tools.ruff] # keep me
env_base = "none" # was none
env_allow = ["OLD", "*RUFF*"] # old and new
[tools.ruff.env_deny]
"GONE" = {} # goes
[tools.mine]
env_base = "none"
`;
  box.write(box.config, own);
  const file = box.write(join(box.home, 'theirs.toml'), FILE);
  applied(box, file);
  expect(box.policy()).toBe(`# mine
[agents.x]
extra_keys = ["K"] # agents are not for tools

[tools.ruff] # keep me
env_base = "os-common" # was none
env_allow = ["*RUFF*"] # old and new
[tools.ruff.env_deny]
"RUFF_SECRET_TOKEN" = {}
"*TOKEN*" = { except = ["GH_TOKEN"] }
# goes
[tools.mine]
env_base = "none"

[tools.plain]
`);
  expect(readdirSync(box.bin).sort()).toEqual(['plain', 'ruff']);
  expect(applied(box, file)).toBe('nothing to change\n');
});

test('sections that are none of a tool’s business are not taken over', () => {
  const box = boxWith('ruff', 'plain');
  box.did('tool', 'apply', box.write(join(box.home, 'theirs.toml'), `[agents.evil]\nextra_keys = ["X"]\n${FILE}`));
  expect(box.policy()).not.toContain('agents');
  expect(readFileSync(box.path('ruff'), 'utf8')).toMatch(/^allow .*\*RUFF\*/m);
});
