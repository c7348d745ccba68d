import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, type Ran, runCordon } from '../support/cordon.ts';

class Machine {
  readonly home = freshHome('root');
  readonly cordonHome = join(this.home, 'cordon');

  write(name: string, content: string | object): string {
    const path = join(this.cordonHome, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    return path;
  }

  run(args: readonly string[], env: Record<string, string> = {}, input = ''): Ran {
    return runCordon(args, { home: this.home, env: { CORDON_HOME: this.cordonHome, ...env }, input });
  }
}

const SECURE_AGENT = `{
  "meta": {
    "name": "secure-agent"
  },
  "filesystem": {
    "allow": ["/usr", "/project"]
  },
  "network": {
    "block": false
  },
  "environment": {
    "allow_vars": [
      "PATH",
      "HOME",
      "TERM",
      "LANG",
      "LC_ALL",
      "USER",
      "AWS_*"
    ]
  },
  "env_credentials": {
    "openai": "OPENAI_API_KEY"
  }
}
`;

describe('profile list', () => {
  test('names, places and what each is for; a broken one is shown as broken', () => {
    const machine = new Machine();
    machine.write('profiles/web.toml', '[meta]\ndescription = "The web\\u001b[31m thing"\n');
    machine.write('profiles/bad.json', '{"x": 1}');
    const { code, stdout } = machine.run(['profile', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^web +\S+web\.toml +The web\\x1b\[31m thing$/m);
    expect(stdout).toMatch(/^bad +\S+bad\.json +invalid: unknown key 'x'$/m);
    expect(stdout).toMatch(/^locked +built-in +.*no network/m);
    const listed = JSON.parse(machine.run(['profile', 'list', '--json']).stdout) as { name: string; where: string }[];
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(['web', 'bad', 'default', 'claude-code']));
  });

  test('works without a home', () => {
    const { code, stdout } = runCordon(['profile', 'list'], { env: { HOME: '' } });
    expect([code, stdout.includes('locked')]).toEqual([0, true]);
  });
});

describe('profile show', () => {
  test('every line with its origin, bases included', () => {
    const machine = new Machine();
    const base = machine.write('profiles/base.toml', '[environment]\nallow_vars = ["PATH"]\n');
    const web = machine.write('profiles/web.json', {
      extends: 'base',
      environment: { allow_vars: ['AWS_*'], set_vars: { EDITOR: 'vi', API_KEY: 'hunter2hunter2' } },
    });
    const { stdout, stderr } = machine.run(['profile', 'show', 'web'], { AWS_SECRET_ACCESS_KEY: 'v4lue' });
    expect(stdout).toContain('made of base, web');
    expect(stdout).toMatch(new RegExp(`^environment\\.allow_vars +PATH +${base}:2:15$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^environment\\.allow_vars +AWS_\\* +${web}:1:\\d+$`, 'm'));
    expect(stdout).toMatch(/^environment\.set_vars +EDITOR=vi /m);
    expect(stdout).toMatch(/^environment\.set_vars +API_KEY=\*\*\* /m);
    expect(stderr).toContain('lets AWS_SECRET_ACCESS_KEY through');
    expect(stdout + stderr).not.toMatch(/hunter2|v4lue/);
  });

  test('a file of another folder, as JSON', () => {
    const machine = new Machine();
    const path = machine.write('elsewhere/secure-agent.json', SECURE_AGENT);
    const shown = JSON.parse(machine.run(['profile', 'show', path, '--json']).stdout);
    expect(shown).toMatchObject({
      name: 'secure-agent',
      where: path,
      allow: ['PATH', 'HOME', 'TERM', 'LANG', 'LC_ALL', 'USER', 'AWS_*'],
    });
    expect(shown.lines).toContainEqual({
      key: 'env_credentials',
      value: 'OPENAI_API_KEY from vault://openai',
      origin: `${path}:23:15`,
    });
    expect(shown.lines).toContainEqual({ key: 'filesystem.preset', value: 'minimal', origin: `${path}:6:14` });
  });
});

describe('profile validate', () => {
  test('all findings of all files, then 125', () => {
    const machine = new Machine();
    const good = machine.write('a/good.json', SECURE_AGENT);
    const bad = machine.write(
      'a/bad.yaml',
      'environment:\n  alow_vars: [PATH]\n  guard: strong\nnetwork: {block: 1}\n',
    );
    const { code, stdout, stderr } = machine.run(['profile', 'validate', good, bad, join(machine.home, 'none.json')]);
    expect(code).toBe(125);
    expect(stdout).toBe(`ok  ${good}\n`);
    for (const spot of [`${bad}:2:3`, `${bad}:3:10`, `${bad}:4:18`]) expect(stderr).toContain(`cordon: ${spot}: `);
    expect(stderr).toContain('  2 |   alow_vars: [PATH]\n    |   ^^^^^^^^^\n  hint: did you mean allow_vars?');
    expect(stderr).toContain('there is no file');
    expect(machine.run(['profile', 'validate', good]).code).toBe(0);
  });

  test('as JSON', () => {
    const machine = new Machine();
    const bad = machine.write('a/bad.toml', 'redact = "yes"\n');
    const { code, stdout } = machine.run(['profile', 'validate', bad, '--json']);
    expect(code).toBe(125);
    expect(JSON.parse(stdout)).toMatchObject([{ profile: bad, ok: false, findings: [{ where: `${bad}:1:10` }] }]);
  });

  test('a file that others can write', () => {
    const machine = new Machine();
    const path = machine.write('profiles/open.json', '{}');
    chmodSync(path, 0o666);
    const { code, stderr } = machine.run([
      'run',
      '--profile',
      'open',
      '--isolation',
      'filter',
      '--',
      '/bin/echo',
      'started',
    ]);
    expect(code).toBe(125);
    expect(stderr).toContain('another user could have written');
  });
});

describe('profile diff', () => {
  test('variable by variable, and the settings beside them, never a value', () => {
    const machine = new Machine();
    machine.write('profiles/web.json', {
      extends: 'default',
      environment: { allow_vars: ['MYAPP'], set_vars: { NEW: 'n3w' } },
      network: { block: true },
    });
    const { code, stdout } = machine.run(['profile', 'diff', 'default', 'web'], { MYAPP: 'v4lue', OTHER: 'v4lue' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^MYAPP +drop +pass +allow MYAPP \(.*web\.json:1:\d+\)$/m);
    expect(stdout).toMatch(/^NEW +not there +set /m);
    expect(stdout).toMatch(/^network\.block +false +true /m);
    expect(stdout).not.toMatch(/OTHER|PATH|v4lue|n3w/);
    const json = JSON.parse(machine.run(['profile', 'diff', 'default', 'web', '--json'], { MYAPP: 'v4lue' }).stdout);
    expect(json.variables.map(({ name }: { name: string }) => name)).toEqual(['MYAPP', 'NEW']);
    expect(machine.run(['profile', 'diff', 'web', 'web']).stdout).toContain('do the same');
  });
});

describe('profile schema', () => {
  test('is JSON Schema for what the readers take', () => {
    const schema = JSON.parse(new Machine().run(['profile', 'schema']).stdout);
    expect(schema.$schema).toContain('json-schema.org');
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining([
        'meta',
        'extends',
        'environment',
        'env_credentials',
        'filesystem',
        'network',
        'isolation',
        'redact',
      ]),
    );
    expect(schema.additionalProperties).toBe(false);
  });
});

describe('profile init without questions', () => {
  test('writes a commented file that works, and takes credentials of the shell into the vault', () => {
    const machine = new Machine();
    const args = [
      'profile',
      'init',
      '--name',
      'mine',
      '--agent',
      'codex',
      '--tool',
      'node',
      '--credential',
      'GH_TOKEN',
      '--yes',
    ];
    const made = machine.run(args, { GH_TOKEN: 'gh-v4lue' });
    expect(made.code, made.stderr).toBe(0);
    const path = join(machine.cordonHome, 'profiles', 'mine.jsonc');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(['mine.jsonc']);
    expect(readFileSync(path, 'utf8')).toContain('// ');
    expect(made.stdout + made.stderr + readFileSync(path, 'utf8')).not.toContain('gh-v4lue');
    const { stdout } = machine.run(['run', '--profile', 'mine', '--isolation', 'filter', '--', '/usr/bin/env'], {
      NODE_ENV: 'test',
      OTHER: 'o',
    });
    expect(stdout).toContain('GH_TOKEN=gh-v4lue\n');
    expect(stdout).toContain('NODE_ENV=test\n');
    expect(stdout).not.toContain('OTHER');
  });

  test('never writes over a profile, in whatever syntax, unless told to', () => {
    const machine = new Machine();
    const path = machine.write('profiles/mine.toml', 'redact = true\n');
    const { code, stderr } = machine.run(['profile', 'init', '--name', 'mine', '--yes']);
    expect(code).toBe(125);
    expect(stderr).toContain('already');
    expect(readFileSync(path, 'utf8')).toBe('redact = true\n');
    expect(machine.run(['profile', 'init', '--name', 'mine', '--yes', '--force']).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(machine.run(['profile', 'validate', 'mine']).code).toBe(0);
  });

  test.each([
    [['--name', '../x'], 'letters, digits'],
    [['--agent', 'claud-code'], 'did you mean claude-code?'],
    [['--tool', 'nod'], 'did you mean node?'],
    [['--credential', 'LD_PRELOAD'], 'cannot be injected'],
  ])('refuses %j', (flags, words) => {
    const machine = new Machine();
    const { code, stderr } = machine.run(['profile', 'init', '--yes', ...flags]);
    expect(code).toBe(125);
    expect(stderr).toContain(words);
    expect(existsSync(join(machine.cordonHome, 'profiles'))).toBe(false);
  });
});

describe('--profile', () => {
  test('flags go over it, several add up, and explain cites the file', () => {
    const machine = new Machine();
    const a = machine.write('profiles/a.json', { environment: { allow_vars: ['A'] } });
    machine.write('profiles/b.json', { environment: { allow_vars: ['B_*'] } });
    const env = { A: '1', B_X: '2', B_Y: '3', C: '4' };
    const args = ['--profile', 'a', '--profile', 'b', '--deny', 'B_Y', '--allow', 'C', '--isolation', 'filter'];
    expect(
      machine
        .run(['run', ...args, '--', '/usr/bin/env'], env)
        .stdout.split('\n')
        .toSorted(),
    ).toEqual(['', 'A=1', 'B_X=2', 'C=4']);
    const explained = JSON.parse(machine.run(['explain', ...args, 'A', '--json'], env).stdout);
    expect(explained).toMatchObject([{ name: 'A', verdict: 'pass', rule: 'allow A', origin: `${a}:1:31` }]);
  });

  test('warns once about a wildcard that admits a credential', () => {
    const machine = new Machine();
    machine.write('profiles/aws.json', { environment: { allow_vars: ['AWS_*', 'LD_PRELOAD'] } });
    const { stderr, stdout } = machine.run(['run', '--profile', 'aws', '--isolation', 'filter', '--', '/usr/bin/env'], {
      AWS_SECRET_ACCESS_KEY: 'v4lue',
    });
    expect(stdout).toBe('AWS_SECRET_ACCESS_KEY=v4lue\n');
    expect(stderr.match(/warning: .*AWS_SECRET_ACCESS_KEY/g)).toHaveLength(1);
    expect(stderr.match(/warning: .*LD_PRELOAD in allow_vars does nothing/g)).toHaveLength(1);
    expect(stderr).not.toContain('v4lue');
  });

  test('an unknown one: the nearest, and nothing is started', () => {
    const { code, stdout, stderr } = new Machine().run([
      'run',
      '--profile',
      'clade-code',
      '--',
      '/bin/echo',
      'started',
    ]);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('did you mean claude-code?');
  });

  test('a file of the working folder is not taken for a name', () => {
    const machine = new Machine();
    writeFileSync(join(machine.home, 'web.json'), '{}', { mode: 0o600 });
    expect(machine.run(['explain', '--profile', 'web']).code).toBe(125);
    expect(machine.run(['explain', '--profile', 'web.json']).code).toBe(0);
  });
});

describe('behind the barrier', () => {
  test('the documented profile works as it is', () => {
    const machine = new Machine();
    machine.write('profiles/secure-agent.json', SECURE_AGENT);
    expect(machine.run(['creds', 'set', 'openai'], {}, 'sk-v4lue').code).toBe(0);
    const env = { AWS_REGION: 'eu', LANG: 'C', OPENAI_API_KEY: 'inherited', DATABASE_URL: 'x' };
    const { code, stdout, stderr } = machine.run(['run', '--profile', 'secure-agent', '--', '/usr/bin/env'], env);
    expect(code, stderr).toBe(0);
    expect(
      stdout
        .split('\n')
        .filter((line) => !/^(?:PATH|HOME)=/.test(line))
        .toSorted(),
    ).toEqual(['', 'AWS_REGION=eu', 'LANG=C', 'OPENAI_API_KEY=sk-v4lue']);
  });

  test('locked: nothing inherited, no network, and no start with the filter alone', () => {
    const machine = new Machine();
    const { code, stdout, stderr } = machine.run(['run', '--profile', 'locked', '--', '/usr/bin/env'], { SECRET: 's' });
    expect(code, stderr).toBe(0);
    expect(stdout).not.toMatch(/SECRET|HOME|PATH/);
    const interfaces = machine.run(['run', '--profile', 'locked', '--', '/bin/cat', '/proc/net/dev']).stdout;
    expect(interfaces.match(/^ *\w+:/gm)).toEqual([expect.stringContaining('lo:')]);
    const filtered = machine.run(['run', '--profile', 'locked', '--isolation', 'filter', '--', '/bin/echo', 'started']);
    expect({ code: filtered.code, stdout: filtered.stdout }).toEqual({ code: 125, stdout: '' });
  });
});
