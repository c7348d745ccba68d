import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { interpreterProblem } from '../../src/tools/setup.ts';
import { without } from '../native/support.ts';
import { cordonProgram, installedPackage } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf } from '../support/users.ts';
import { ToolBox, variablesOf } from './support.ts';

const lines = (text: string) => text.trimEnd().split('\n');

describe('targets', () => {
  test('not installed', () => {
    const box = new ToolBox();
    for (const args of [
      ['add', 'nosuch'],
      ['config', 'nosuch', 'env', 'base', 'none'],
      ['config', 'nosuch', 'env', 'list'],
      ['suggest', '--', 'nosuch'],
    ]) {
      expect(box.cordon(['tool', ...args])).toEqual({
        code: 127,
        stdout: '',
        stderr:
          "cordon: 'nosuch' is not installed: it is in no folder of PATH\n  hint: install it first, or give its path: cordon tool add /path/to/it\n",
      });
    }
    expect(existsSync(box.config)).toBe(false);
  });

  test('one of several that is missing: nothing is added, and each that is missing is named', () => {
    const box = new ToolBox();
    const { code, stdout, stderr } = box.cordon(['tool', 'add', 'env', 'nosuch', 'true', 'neither']);
    expect({ code, stdout }).toEqual({ code: 127, stdout: '' });
    expect(stderr).toContain("'nosuch' is not installed: it is in no folder of PATH; nothing was added");
    expect(stderr).toContain("'neither' is not installed");
    expect(existsSync(box.path('env'))).toBe(false);
    expect(existsSync(box.config)).toBe(false);
  });

  test('one without a policy is said to run as before', () => {
    const box = new ToolBox();
    const added = () => box.cordon(['tool', 'add', 'env', 'true']).stderr;
    expect(added()).toContain('nothing is restricted yet: env, true run as before');
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    expect(added()).toContain('nothing is restricted yet: true runs as before');
  });

  test('a folder', () => {
    const box = new ToolBox();
    expect(box.cordon(['tool', 'add', box.tools])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining(`${box.tools} is a folder, not a command`),
    });
  });

  test('a script without a shebang', () => {
    const box = new ToolBox();
    box.tool('script', 'echo hello\n');
    expect(box.cordon(['tool', 'add', 'script'])).toMatchObject({
      code: 126,
      stderr: expect.stringMatching(
        /is a script without a #! line, which only a shell could run\n {2}hint: write #!\/bin\/sh/,
      ),
    });
  });

  test('not executable', () => {
    const box = new ToolBox();
    box.write(join(box.tools, 'data'), '#!/bin/sh\n', 0o644);
    expect(box.cordon(['tool', 'add', 'data'])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('cannot be run'),
    });
  });

  test.each(['../x', 'cordon', '.hidden', '-x'])('a name that cannot be one: %s', (name) => {
    const box = new ToolBox();
    box.tool(name.replace('../', ''), '#!/bin/sh\n');
    expect(box.cordon(['tool', 'add', '--', name]).code).toBeGreaterThanOrEqual(125);
    expect(existsSync(box.config)).toBe(false);
  });
});

describe('patterns', () => {
  test('an unclosed [', () => {
    const box = new ToolBox();
    const { code, stderr } = box.cordon(['tool', 'config', 'env', 'env', 'allow', 'X[AB']);
    expect(code).toBe(125);
    expect(lines(stderr)[0]).toBe("cordon: env allow: pattern 'X[AB' has a [ without its ]");
    expect(existsSync(box.config)).toBe(false);
  });

  test.each(['', 'A=B', 'A B'])('no variable can match %j', (pattern) => {
    const box = new ToolBox();
    expect(box.cordon(['tool', 'config', 'env', 'env', 'deny', 'OK', '--except', pattern]).code).toBe(125);
    expect(existsSync(box.config)).toBe(false);
  });

  test('names of the code-injection list are kept with a warning and do nothing', () => {
    const box = new ToolBox();
    const { code, stderr } = box.cordon(['tool', 'config', 'env', 'env', 'allow', 'LD_PRELOAD', 'OK']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/allow LD_PRELOAD \(.*cordon\.toml:2:14\) does nothing: it is on the code-injection list/);
    expect(variablesOf(box.start('env', ['-0'], { LD_PRELOAD: '', OK: '1' }).stdout)).toEqual({ OK: '1' });
  });
});

describe('cordon.toml', () => {
  test.each([
    ['[tools.env\n', /cordon\.toml:2:1: not valid TOML/],
    ['[tools.env]\nenv_base = none\n', /cordon\.toml:2:\d+: not valid TOML/],
    ['[tools.env]\nenv_base = "none"\nenv_base = "all"\n', /cordon\.toml:3:\d+: not valid TOML/],
    ['[tools.env]\nenv_allow = "X"\n', /cordon\.toml:2:13: expected a list/],
    ['[tools.env]\nenv_allow = [1]\n', /cordon\.toml:2:14: expected a pattern, not a number/],
    [
      '[tools.env]\nenv_deny = { "X" = { exept = ["Y"] } }\n',
      /cordon\.toml:2:22: unknown key 'exept'[\s\S]*did you mean except\?/,
    ],
    ['[tools.env]\nfs_ro = ["relative/path"]\n', /cordon\.toml:2:10: expected an absolute path/],
    ['[tols.env]\n', /cordon\.toml:1:2: unknown key 'tols'[\s\S]*did you mean tools\?/],
    ['[[tools]]\n', /cordon\.toml:1:3: expected a table of tools/],
    ['tools = 1\n', /cordon\.toml:1:9: expected a table of tools/],
    ['\0', /binary/],
  ])('%j is refused whole', (text, message) => {
    const box = new ToolBox();
    box.folder(box.cordonHome);
    box.write(box.config, text);
    for (const args of [
      ['tool', 'list'],
      ['tool', 'config', 'env', 'env', 'base', 'none'],
      ['tool', 'apply'],
      ['explain', '--tool', 'env'],
    ]) {
      const { code, stdout, stderr } = box.cordon(args);
      expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
      expect(stderr).toMatch(message);
    }
    expect(readFileSync(box.config, 'utf8')).toBe(text);
    expect(box.cordon(['doctor']).stdout).toMatch(/weaker +tools/);
  });

  test('a mistake about one tool stops that one and no other', () => {
    const box = new ToolBox();
    for (const tool of ['env', 'true']) box.did('tool', 'config', tool, 'env', 'base', 'none');
    const text = `${box.policy()}env_alow = ["X"]\n`;
    box.write(box.config, text);
    const mistake = /true does not start until its policy is fixed: \S+cordon\.toml:\d+:1: unknown key 'env_alow'/;
    expect(box.start('env', ['-0'], { X: '1' })).toMatchObject({ code: 0, stdout: '' });
    expect(box.start('true')).toMatchObject({ code: 125, stderr: expect.stringContaining("unknown key 'env_alow'") });
    for (const args of [
      ['tool', 'list'],
      ['tool', 'config', 'env', 'env', 'allow', 'X'],
      ['tool', 'apply'],
    ]) {
      const { code, stderr } = box.cordon(args);
      expect(code).toBe(0);
      expect(stderr).toMatch(mistake);
    }
    expect(box.start('env', ['-0'], { X: '1' }).stdout).toBe('X=1\0');
    for (const args of [
      ['tool', 'config', 'true', 'env', 'allow', 'X'],
      ['explain', '--tool', 'true'],
      ['tool', 'apply', box.config],
      ['check', box.config],
    ])
      expect(box.cordon(args)).not.toMatchObject({ code: 0 });
    expect(box.start('true')).toMatchObject({ code: 125 });
    box.did('tool', 'remove', 'true');
    expect(box.cordon(['tool', 'list']).stderr).not.toMatch(mistake);
  });

  test('that belongs to someone else, or that others can write, is refused', () => {
    const box = new ToolBox();
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    chmodSync(box.config, 0o666);
    expect(box.cordon(['tool', 'config', 'env', 'env', 'base', 'all'])).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(
        /another user could have written this file: its mode 0666 lets others write[\s\S]*chmod go-w/,
      ),
    });
    chmodSync(box.config, 0o644);
    const { uid } = identityOf('cordon-test');
    chownSync(box.config, uid, 0);
    expect(box.cordon(['tool', 'config', 'env', 'env', 'base', 'all'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining(`it belongs to user id ${uid}`),
    });
  });

  test('of root is used by others and not changed by them', () => {
    const box = new ToolBox('cordon-test');
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    chownSync(box.config, 0, 0);
    expect(box.cordon(['tool', 'config', 'env', 'env', 'base', 'all'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('this file belongs to user id 0, so only they can change it'),
    });
    expect(box.start('env', ['-0'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('keeps its mode and its link', () => {
    const box = new ToolBox();
    box.did('tool', 'add', 'env');
    chmodSync(box.config, 0o600);
    const kept = join(box.home, 'dotfiles.toml');
    spawnSync('mv', [box.config, kept]);
    spawnSync('ln', ['-s', kept, box.config]);
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    expect(readlinkSync(box.config)).toBe(kept);
    expect(spawnSync('stat', ['-c', '%a', kept], { encoding: 'utf8' }).stdout.trim()).toBe('600');
    expect(readFileSync(kept, 'utf8')).toContain('none');
    const shim = box.shim('env');
    expect(box.start('env', ['-0'])).toMatchObject({ code: 0, stdout: '' });
    expect(box.shim('env')).toBe(shim);
  });
});

describe('the bin folder', () => {
  test('that cannot be written', () => {
    const box = new ToolBox('cordon-test');
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    const before = [box.policy(), box.shim('env')];
    chmodSync(box.bin, 0o555);
    const { code, stderr } = box.cordon(['tool', 'config', 'env', 'env', 'base', 'os-common']);
    expect(code).toBe(125);
    expect(stderr).toContain(`${box.path('env')}: cannot be written: you may not write there; nothing was changed`);
    expect([box.policy(), box.shim('env')]).toEqual(before);
  });

  test('with something in it that Cordon did not write', () => {
    const box = new ToolBox();
    mkdirSync(box.path('env'), { recursive: true });
    box.write(box.path('true'), 'mine\n');
    expect(box.cordon(['tool', 'config', 'env', 'env', 'base', 'none'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('there is a folder where the shim would go'),
    });
    expect(box.cordon(['tool', 'add', 'true'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('a file that Cordon did not write'),
    });
    expect(readdirSync(box.bin).sort()).toEqual(['env', 'true']);
    expect(existsSync(box.config)).toBe(false);
  });

  test('on a full disk keeps the old shim', () => {
    const box = new ToolBox();
    box.did('tool', 'config', 'env', 'env', 'base', 'none');
    const script = `
      mount -t tmpfs -o size=512k,mode=755 none ${box.bin} || exit 9
      ${cordonProgram()} tool add /usr/bin/env >/dev/null && ${cordonProgram()} tool config env env base none >/dev/null || exit 8
      cat ${box.path('env')} ${box.config} >${box.home}/before
      dd if=/dev/zero of=${box.bin}/.filler bs=1k 2>/dev/null
      ${cordonProgram()} tool config env env base os-common; echo "code $?"
      cat ${box.path('env')} ${box.config} | cmp - ${box.home}/before && echo same
      ls -A ${box.bin}`;
    const { stdout, stderr, status } = spawnSync('unshare', ['-m', 'sh', '-c', script], {
      env: box.env,
      encoding: 'utf8',
    });
    expect({ status, stdout: lines(stdout) }).toEqual({ status: 0, stdout: ['code 125', 'same', '.filler', 'env'] });
    expect(stderr).toContain('cannot be written: the disk is full; nothing was changed');
  });
});

describe('a machine that cannot hold the policy', () => {
  function packageCopy(name: string): string {
    const folder = openFolder('copy');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const copy = join(folder, name);
    cpSync(installedPackage(), copy, { recursive: true });
    return copy;
  }

  function configureWith(copy: string, box: ToolBox): { stderr: string; status: number | null } {
    return spawnSync(process.execPath, [join(copy, 'dist/cli.js'), 'tool', 'config', 'env', 'env', 'base', 'none'], {
      env: box.env,
      encoding: 'utf8',
    });
  }

  test('without the native launcher the policy is kept, and said to be not enforced', () => {
    const copy = packageCopy('package');
    rmSync(join(copy, 'dist/native'), { recursive: true });
    const box = new ToolBox();
    const { status, stderr } = configureWith(copy, box);
    expect(status).toBe(0);
    expect(stderr).toContain('policies are kept, but not enforced: the native launcher is not built');
    expect(readlinkSync(box.path('env'))).toBe('/usr/bin/env');
    expect(box.policy()).toContain('env_base = "none"');
    expect(box.did('tool', 'list')).toContain('not enforced');
    expect(box.did('doctor')).toContain('env has a policy and no shim');
    box.did('tool', 'apply');
    expect(box.start('env', ['-0'])).toMatchObject({ code: 0, stdout: '' });
  });

  test('a launcher that no #! line can name', () => {
    const box = new ToolBox();
    expect(configureWith(packageCopy('with space'), box).stderr).toContain(
      "not enforced: the launcher's path has white space in it",
    );
    expect(readlinkSync(box.path('env'))).toBe('/usr/bin/env');
    expect(interpreterProblem(`/${'x'.repeat(252)}`, '6.1.0')).toBeUndefined();
    expect(interpreterProblem(`/${'x'.repeat(253)}`, '6.1.0')).toContain(
      'too long for a #! line (256 bytes, this kernel reads 255)',
    );
    expect(interpreterProblem(`/${'x'.repeat(124)}`, '4.19.0')).toBeUndefined();
    expect(interpreterProblem(`/${'x'.repeat(125)}`, '5.0.9')).toContain('this kernel reads 127');
  });

  test('the longest launcher path that is accepted is one the kernel takes', () => {
    const box = new ToolBox();
    const folder = openFolder('l');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const long = join(folder, 'd'.repeat(255 - 2 - folder.length - '//dist/native/cordon-launch'.length));
    cpSync(installedPackage(), long, { recursive: true });
    expect(join(long, 'dist/native/cordon-launch').length).toBe(253);
    expect(configureWith(long, box).stderr).toBe('');
    expect(box.start('env', ['-0'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a package that was replaced writes its shims anew, and one that was removed leaves shims that say what to do', () => {
    const box = new ToolBox();
    const copy = packageCopy('package');
    const program = join(copy, 'dist/cli.js');
    expect(configureWith(copy, box).status).toBe(0);
    const before = box.shim('env');
    utimesSync(program, 1, 1);
    expect(box.start('env', ['-0'])).toMatchObject({ code: 0, stderr: '' });
    expect(box.shim('env')).not.toBe(before);
    rmSync(copy, { recursive: true });
    const { code, stderr } = box.start('env', ['-0']);
    expect(code).toBe(125);
    expect(stderr).toBe(
      `cordon: env: ${program} is gone: install Cordon again and run \`cordon tool apply\`, or take the folder of this shim out of PATH\n`,
    );
  });

  test('without a barrier every config command warns, and a filesystem policy stops its tool', () => {
    const box = new ToolBox();
    const cordon = `${cordonProgram()} tool config env`;
    const script = `
      for words in 'env list' 'env base none' 'fs list' 'fs base guarded'; do ${cordon} $words >/dev/null; done
      ${box.path('env')} -0; echo "code $?"
      ${cordon} fs reset >/dev/null 2>&1
      CORDON_POLICY_QUIET=1 ${box.path('env')} -0; echo "code $?"`;
    const [limiter, ...words] = without('namespaces');
    const { stdout, stderr, status } = spawnSync(limiter as string, [...words, 'sh', '-c', script], {
      env: { ...box.env, SECRET: 'x' },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'code 125\ncode 0\n' });
    const said = lines(stderr);
    expect(said.filter((line) => line.includes('no barrier here (user namespaces are not allowed here')).length).toBe(
      4,
    );
    expect(said.at(-1)).toContain('env has a filesystem policy, which needs the barrier: user namespaces are not');
    expect(box.start('env', ['-0'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('without any home folder there is a clear error', () => {
  const { status, stderr } = spawnSync(
    'setpriv',
    ['--reuid=54321', '--regid=54321', '--clear-groups', cordonProgram(), 'tool', 'list'],
    { env: { PATH: '/usr/bin:/bin' }, cwd: '/', encoding: 'utf8' },
  );
  expect(status).toBe(125);
  expect(stderr).toContain('there is no home folder, so there is nowhere to keep tool policies');
});
