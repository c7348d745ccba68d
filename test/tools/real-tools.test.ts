import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { openCopy } from '../support/project.ts';
import { identityOf, USERS } from '../support/users.ts';
import { ToolBox } from './support.ts';

const CANARIES = {
  AWS_SECRET_ACCESS_KEY: 'canary-aws',
  GITHUB_TOKEN: 'canary-github',
  NPM_TOKEN: 'canary-npm',
  DATABASE_URL: 'postgres://u:canary@h/d',
  SSH_AUTH_SOCK: '/canary.sock',
};

interface Came {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs without blocking, so that the test can serve what the tool asks for. */
async function run(box: ToolBox, [program, ...args]: readonly string[], cwd: string): Promise<Came> {
  const { uid, gid } = identityOf(box.user);
  const env = { ...box.env, ...CANARIES, LANG: 'C.UTF-8', TERM: 'xterm', NODE_V8_COVERAGE: undefined };
  const child = spawn(program as string, args, { uid, gid, cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** The direct run and the run through the shim, each in a folder of its own and of the same name length. */
class Comparison {
  readonly box: ToolBox;

  constructor(user: (typeof USERS)[number], ...tools: string[]) {
    this.box = new ToolBox(user);
    for (const tool of tools) this.box.did('tool', 'config', tool, 'env', 'base', 'os-common');
  }

  folders(): string[] {
    return ['direct', 'shimmd'].map((name) =>
      this.box.folder(join(this.box.folder(join(this.box.home, name)), 'work')),
    );
  }

  /** What each prints and ends with is the same; nothing planted arrives. */
  async same(
    tool: string,
    args: readonly string[],
    folders = [this.box.home, this.box.home],
    alike = (one: string) => one,
  ): Promise<Came> {
    const [direct, shimmed] = [
      await run(this.box, [join('/usr/bin', tool), ...args], folders[0] as string),
      await run(this.box, [this.box.path(tool), ...args], folders[1] as string),
    ];
    const plain = ({ code, stdout, stderr }: Came) => ({
      code,
      stdout: alike(stdout.replaceAll('/direct/', '/shimmd/')),
      stderr: alike(stderr.replaceAll('/direct/', '/shimmd/')),
    });
    expect(plain(shimmed as Came)).toEqual(plain(direct as Came));
    expect(JSON.stringify(shimmed)).not.toContain('canary');
    return shimmed as Came;
  }
}

const DUMP = 'env > env.dump';

describe.each(USERS)('as %s', (user) => {
  test('git with a local remote and a hook', async () => {
    const compare = new Comparison(user, 'git');
    const folders = compare.folders();
    const git = (...args: string[]) =>
      compare.same(
        'git',
        ['-c', 'user.name=U', '-c', 'user.email=u@example.org', '-c', 'init.defaultBranch=main', ...args],
        folders,
        (out) => out.replace(/\b[0-9a-f]{7,40}\b/g, 'HASH'),
      );
    await git('init', '--bare', '../remote');
    await git('clone', '../remote', '.');
    for (const folder of folders) {
      compare.box.write(join(folder, 'file'), 'hello\n');
      compare.box.write(join(folder, '.git/hooks/pre-commit'), `#!/bin/sh\n${DUMP}\n`, 0o755);
    }
    await git('add', 'file');
    await git('commit', '-m', 'first');
    await git('push', 'origin', 'main');
    await git('fetch');
    expect((await git('log', '--format=%an %s')).stdout).toBe('U first\n');
    expect((await git('status', '--nonsense')).code).toBe(129);
    expect(readFileSync(join(folders[0] as string, 'env.dump'), 'utf8')).toContain('canary');
    expect(readFileSync(join(folders[1] as string, 'env.dump'), 'utf8')).not.toContain('canary');
  });

  test('npm: a local package with a postinstall script', async () => {
    const compare = new Comparison(user, 'npm');
    const folders = compare.folders();
    const dependency = compare.box.folder(join(compare.box.home, 'dependency'));
    compare.box.write(
      join(dependency, 'package.json'),
      JSON.stringify({ name: 'dependency', version: '1.0.0', scripts: { postinstall: `${DUMP}; echo post >&2` } }),
    );
    for (const folder of folders)
      compare.box.write(join(folder, 'package.json'), JSON.stringify({ name: 'work', version: '1.0.0' }));
    const { code } = await compare.same(
      'npm',
      [
        'install',
        '--install-links',
        '--offline',
        '--no-audit',
        '--no-fund',
        '--no-update-notifier',
        '../../dependency',
      ],
      folders,
      (out) => out.replace(/in [\d.]+m?s/, 'in TIME'),
    );
    expect(code).toBe(0);
    const dumps = folders.map((folder) => readFileSync(join(folder, 'node_modules/dependency/env.dump'), 'utf8'));
    expect(dumps[0]).toContain('canary');
    expect(dumps[1]).not.toContain('canary');
    expect(
      (
        await compare.same('npm', ['run', '--no-update-notifier', 'nosuch'], folders, (out) =>
          out.replace(/A complete log.*/s, ''),
        )
      ).code,
    ).not.toBe(0);
  });

  test('node', async () => {
    const compare = new Comparison(user, 'node');
    await compare.same('node', [
      '-e',
      'console.log(process.version, process.execPath, process.argv.slice(1)); console.error("e"); process.exit(3)',
      'a b',
    ]);
    const { stdout } = await run(
      compare.box,
      [compare.box.path('node'), '-p', 'Object.keys(process.env).sort().join()'],
      compare.box.home,
    );
    expect(stdout).toBe('HOME,LANG,PATH,TERM\n');
  });

  test('python3, and the one of a virtual environment', async () => {
    const compare = new Comparison(user, 'python3');
    await compare.same('python3', ['-c', 'import sys; print(sys.executable, sys.prefix, sys.argv); sys.exit(4)', 'x']);
    const { box } = compare;
    expect(
      (await run(box, ['/usr/bin/python3', '-m', 'venv', '--without-pip', join(box.home, 'venv')], box.home)).code,
    ).toBe(0);
    box.did('tool', 'add', join(box.home, 'venv/bin/python3'));
    const { stdout } = await run(box, [box.path('python3'), '-c', 'import sys; print(sys.prefix)'], box.home);
    expect(stdout).toBe(`${join(box.home, 'venv')}\n`);
  });

  test('curl against the loopback', async () => {
    const compare = new Comparison(user, 'curl');
    const server = createServer((request, response) =>
      response.end(`${request.method} ${request.url} ${request.headers['user-agent']}\n`),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const { stdout } = await compare.same('curl', ['-sS', `http://127.0.0.1:${port}/path`]);
      expect(stdout).toMatch(/^GET \/path curl/);
      expect(
        (
          await compare.same('curl', ['-sS', 'http://127.0.0.1:1/'], undefined, (out) =>
            out.replace(/after \d+ ms/, 'after'),
          )
        ).code,
      ).toBe(7);
    } finally {
      server.close();
    }
  });

  test('make with gcc, both through their shims', async () => {
    const compare = new Comparison(user, 'make', 'gcc');
    const folders = compare.folders();
    for (const folder of folders) {
      compare.box.write(
        join(folder, 'hello.c'),
        '#include <stdio.h>\nint main(void) { puts("hello from gcc"); return 0; }\n',
      );
      compare.box.write(join(folder, 'Makefile'), 'CC = gcc\nall: hello\n\t./hello\n\t@env > env.dump\nfail: nosuch\n');
    }
    expect((await compare.same('make', ['all'], folders)).stdout).toContain('hello from gcc');
    expect((await compare.same('make', ['fail'], folders)).code).toBe(2);
    expect(readFileSync(join(folders[1] as string, 'env.dump'), 'utf8')).not.toContain('canary');
    expect((await compare.same('gcc', ['-print-prog-name=cc1'])).stdout).toMatch(/^\/.*cc1\n$/);
    expect((await compare.same('gcc', ['nosuch.c'])).code).toBe(1);
  });

  test('ssh-keygen', async () => {
    const compare = new Comparison(user, 'ssh-keygen');
    const folders = compare.folders();
    const { code } = await compare.same(
      'ssh-keygen',
      ['-q', '-t', 'ed25519', '-N', '', '-C', 'comment', '-f', 'key'],
      folders,
    );
    expect(code).toBe(0);
    expect(existsSync(join(folders[1] as string, 'key.pub'))).toBe(true);
    const key = join(folders[0] as string, 'key.pub');
    expect((await compare.same('ssh-keygen', ['-l', '-f', key])).stdout).toMatch(/^256 SHA256:/);
    expect((await compare.same('ssh-keygen', ['-l', '-f', 'nosuch'])).code).toBe(255);
  });

  test('less and vim on a terminal', async () => {
    const compare = new Comparison(user, 'less', 'vim');
    const { box } = compare;
    const lines = Array.from({ length: 100 }, (_, i) => `line-${String(i + 1).padStart(3, '0')}`);
    const file = box.write(join(box.home, 'long.txt'), `${lines.join('\n')}\n`);
    const driver = openCopy(join(import.meta.dirname, 'fixtures/on-terminal.py'));
    const onTerminal = (steps: [string, string][], ...command: string[]) =>
      run(box, ['/usr/bin/python3', driver, JSON.stringify(steps), ...command], box.home);
    const paging: [string, string][] = [
      ['line-001', ' '],
      ['line-040', 'q'],
    ];
    const [direct, shimmed] = [
      await onTerminal(paging, '/usr/bin/less', file),
      await onTerminal(paging, box.path('less'), file),
    ];
    expect(direct.code).toBe(0);
    expect(shimmed).toEqual(direct);
    const editing: [string, string][] = [
      ['line-001', 'ddGo'],
      ['INSERT', 'typed in vim\x1b:wq\r'],
    ];
    expect(
      (await onTerminal(editing, box.path('vim'), '-u', 'NONE', '-i', 'NONE', '-c', 'set showmode', file)).code,
    ).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`${[...lines.slice(1), 'typed in vim'].join('\n')}\n`);
  });
});
