import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, type RunOptions, runAs, runCordon } from '../support/cordon.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

const ESCAPE = String.fromCharCode(27);

interface Scene {
  readonly options: RunOptions & { readonly cwd: string };
  readonly write: (name: string, text: string) => void;
}

function scene(user: User, files: Readonly<Record<string, string>>): Scene {
  const home = freshHome(user);
  const cwd = join(home, 'work');
  const { uid, gid } = identityOf(user);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
    execFileSync('chown', ['-R', `${uid}:${gid}`, cwd]);
  };
  write('.git/HEAD', 'ref: refs/heads/main\n');
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { options: { user, home, cwd, env: { DEPLOY_REGION: 'eu', SECRET_TOKEN: 'CANARY' } }, write };
}

const PROFILE = JSON.stringify({ environment: { base: 'none', allow_vars: ['DEPLOY_REGION', 'PATH'] } });
const seen = (options: RunOptions, ...flags: string[]) => runCordon(['run', ...flags, '--', 'env'], options).stdout;

describe.each(USERS)('a policy that a project carries, as %s', (user) => {
  it('does nothing, in either direction, until it is trusted, and again when it changes', () => {
    const { options, write } = scene(user, { '.cordon/profile.json': PROFILE });
    expect(seen(options)).not.toContain('DEPLOY_REGION');
    expect(seen(options)).toContain('HOME=');
    const shown = runCordon(['trust'], options);
    expect(shown.code).toBe(125);
    expect(shown.stdout).toContain('environment.allow_vars: DEPLOY_REGION');
    expect(shown.stdout).toMatch(/DEPLOY_REGION: drop → pass/);
    expect(shown.stdout).toMatch(/HOME: pass → drop/);
    expect(runCordon(['trust', '--yes'], options).code).toBe(0);
    expect(seen(options)).toContain('DEPLOY_REGION=eu');
    expect(seen(options)).not.toContain('HOME=');
    expect(seen({ ...options, cwd: `${options.cwd}/.git` })).toBeDefined();
    write('.cordon/profile.json', PROFILE.replace('DEPLOY_REGION', 'SECRET_TOKEN'));
    expect(seen(options)).not.toContain('CANARY');
    expect(seen(options)).toContain('HOME=');
  });

  it('is compared with what a plain run gives, and has a name for prompts and the audit', () => {
    const { options } = scene(user, { '.cordon/profile.json': PROFILE });
    const withEditor = { ...options, env: { ...options.env, EDITOR: 'vim' } };
    expect(runCordon(['trust', '--yes'], withEditor).stdout).toMatch(/EDITOR: pass → drop/);
    expect(seen(withEditor)).toContain('CORDON=project work\n');
    expect(runCordon(['audit'], options).stdout).toContain('project work');
  });

  it('what it extends is covered too', () => {
    const { options, write } = scene(user, {
      '.cordon/profile.json': '{"extends": ["./base.json"]}',
      '.cordon/base.json': PROFILE,
    });
    expect(runCordon(['trust', '--yes'], options).code).toBe(0);
    expect(seen(options)).toContain('DEPLOY_REGION=eu');
    write('.cordon/base.json', PROFILE.replace('DEPLOY_REGION', 'SECRET_TOKEN'));
    expect(seen(options)).not.toContain('CANARY');
  });

  it('counts for its own path alone, is read-only inside, and can be let go', () => {
    const { options } = scene(user, { '.cordon/profile.json': PROFILE });
    const other = scene(user, { '.cordon/profile.json': PROFILE });
    runCordon(['trust', '--yes'], options);
    expect(seen({ ...other.options, home: options.home as string })).not.toContain('DEPLOY_REGION');
    expect(runCordon(['run', '--', 'sh', '-c', 'echo x > .cordon/profile.json'], options).code).not.toBe(0);
    expect(runCordon(['run', '--agent', 'none', '--base', 'os-common', '--', 'env'], options).stdout).toContain(
      'HOME=',
    );
    expect(runCordon(['trust', 'list'], options).stdout).toContain('.cordon/profile.json');
    expect(runCordon(['trust', 'rm', '.cordon/profile.json'], options).code).toBe(0);
    expect(seen(options)).toContain('HOME=');
  });

  it.each([
    ['the folder', 'ln -s ../work/.cordon .cordon'],
    ['the file', 'mkdir .cordon && ln -s ../../work/.cordon/profile.json .cordon/profile.json'],
  ])('is never that of another project, where %s is a link to it', (_what, borrow) => {
    const { options } = scene(user, { '.cordon/profile.json': PROFILE });
    expect(runCordon(['trust', '--yes'], options).code).toBe(0);
    const other = { ...options, cwd: join(options.home as string, 'other') };
    runAs('sh', ['-c', `git init -q ../other && cd ../other && ${borrow}`], options);
    expect(seen(other)).not.toContain('DEPLOY_REGION');
    expect(seen(other)).toContain('HOME=');
    expect(runCordon(['run', '--', 'true'], other).stderr).toContain('it is a link, or lies behind one');
    expect(runCordon(['trust', '--yes'], other).code).toBe(125);
    expect(seen(options)).toContain('DEPLOY_REGION=eu');
  });

  it('never runs commands, and nothing in it can disguise what it says', () => {
    const { options, write } = scene(user, {
      '.cordon/profile.json': JSON.stringify({ env_credentials: { 'cmd://steal': 'A_KEY' } }),
    });
    expect(runCordon(['trust', '--yes'], options).code).toBe(125);
    write('.cordon/profile.json', JSON.stringify({ filesystem: { read: ['/\u0430', `/x${ESCAPE}[2K`] } }));
    const { stdout } = runCordon(['trust'], options);
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout).toContain('filesystem.read: /\\u{430}');
  });

  it.each(['{', '', '\0', '{"environment": 1}'])('broken ones do nothing and stop nothing: %j', (text) => {
    const { options } = scene(user, { '.cordon/profile.json': text });
    expect(runCordon(['run', '--', 'echo', 'ran'], options)).toMatchObject({ code: 0, stdout: 'ran\n' });
    expect(runCordon(['trust', '--yes'], options).code).toBe(125);
  });
});

describe.each(USERS)('values from files, as %s', (user) => {
  it('--env-file sets values and injects references; those of a project need trust', () => {
    const { options, write } = scene(user, { '.env': 'export A="x # y"\nB=$(id) # c\nTOKEN=env://SECRET_TOKEN\n' });
    const refused = runCordon(['run', '--env-file', '.env', '--', 'env'], options);
    expect(refused.code).toBe(125);
    expect(refused.stderr).toContain('cordon trust .env');
    expect(runCordon(['trust', '.env'], options).stdout).toContain('TOKEN gets the credential env://SECRET_TOKEN');
    expect(runCordon(['trust', '.env', '--yes'], options).code).toBe(0);
    const text = seen(options, '--env-file', '.env');
    expect(text).toContain('A=x # y\nB=$(id)\n');
    expect(text).toContain('TOKEN=CANARY\n');
    write('.env', 'OTHER=env://SECRET_TOKEN\n');
    expect(runCordon(['run', '--env-file', '.env', '--', 'env'], options).code).toBe(125);
    write('.env', 'OTHER=plain\n');
    expect(seen(options, '--env-file', '.env')).toContain('OTHER=plain\n');
  });

  it.each([
    ['a link', 'ln -s ../work/.env .env', '.env'],
    ['a folder that is a link', 'ln -s ../work sub', 'sub/.env'],
    ['a link to a link of the project', 'ln -s ../work/.env .env && ln -s other/.env ../led', '../led'],
  ])('references of another project are not injected through %s', (_what, borrow, file) => {
    const { options } = scene(user, { '.env': 'TOKEN=env://SECRET_TOKEN\n' });
    expect(runCordon(['trust', '.env', '--yes'], options).code).toBe(0);
    const other = { ...options, cwd: join(options.home as string, 'other') };
    runAs('sh', ['-c', `git init -q ../other && cd ../other && ${borrow}`], options);
    const { code, stdout, stderr } = runCordon(['run', '--env-file', file, '--', 'env'], other);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('it is a link, or lies behind one');
    expect(seen(options, '--env-file', '.env')).toContain('TOKEN=CANARY');
  });

  it.each([
    ['LD_PRELOAD=/x.so\n', 'LD_PRELOAD'],
    ['A=cmd://id\n', 'from a command'],
    ['A="CANARY\n', 'does not end'],
    ['CANARY\n', 'no NAME=value'],
    ['A=\0CANARY\n', 'binary'],
    [`A=${'CANARY'.repeat(200_000)}\n`, 'larger'],
  ])('refuses %j without quoting it', (text, reason) => {
    const { options } = scene(user, { 'x.env': text });
    const { code, stderr } = runCordon(['run', '--env-file', 'x.env', '--', 'true'], options);
    expect(code).toBe(125);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('CANARY');
  });

  it('creds import takes what looks like a credential, and puts references in its place', () => {
    const password = ['hunter', '2hunter'].join('');
    const { options } = scene(user, { '.env': `# mine\nDB_PASSWORD='${password}'\nLOG=info\n` });
    const imported = runCordon(['creds', 'import', '.env', '--replace'], options);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.stderr).not.toContain(password);
    expect(readFileSync(join(options.cwd, '.env'), 'utf8')).toBe('# mine\nDB_PASSWORD=vault://DB_PASSWORD\nLOG=info\n');
    runCordon(['trust', '.env', '--yes'], options);
    expect(seen(options, '--env-file', '.env')).toContain(`DB_PASSWORD=${password}\nLOG=info`.split('\n')[0]);
  });

  it('creds import replaces no other value without a word', () => {
    const [mine, theirs] = [['first', 'value', '1'].join('-'), ['other', 'value', '2'].join('-')];
    const { options } = scene(user, { 'a.env': `DB_PASSWORD=${mine}\n`, 'b.env': `DB_PASSWORD=${theirs}\n` });
    expect(runCordon(['creds', 'import', 'a.env'], options).code).toBe(0);
    expect(runCordon(['creds', 'import', 'a.env'], options).code).toBe(0);
    const refused = runCordon(['creds', 'import', 'b.env'], options);
    expect(refused.code).toBe(125);
    expect(refused.stderr).toContain('the vault has another value for DB_PASSWORD');
    expect(seen(options, '--credential', 'DB_PASSWORD')).toContain(`DB_PASSWORD=${mine}\n`);
    expect(runCordon(['creds', 'import', 'b.env', '--force'], options).code).toBe(0);
    expect(seen(options, '--credential', 'DB_PASSWORD')).toContain(`DB_PASSWORD=${theirs}\n`);
  });

  it('creds import reads the forms of others, and leaves links alone', () => {
    const value = ['pass', 'word', '99'].join('-');
    const { options } = scene(user, {
      'd.json': JSON.stringify({ API_TOKEN: { raw: 'x', computed: value }, LOG: 'info' }),
      'docker.env': `DB_PASSWORD="${value}"\n`,
      'broken.json': '["CANARY"',
    });
    expect(runCordon(['creds', 'import', 'd.json'], options).stderr).toContain('stored API_TOKEN\n');
    runCordon(['creds', 'import', 'docker.env', '--as', 'docker-env'], options);
    expect(seen(options, '--credential', 'DB_PASSWORD')).toContain(`DB_PASSWORD="${value}"\n`);
    const broken = runCordon(['creds', 'import', 'broken.json'], options);
    expect(broken.code).toBe(125);
    expect(broken.stderr).not.toContain('CANARY');
    symlinkSync('docker.env', join(options.cwd, 'link.env'));
    const { uid, gid } = identityOf(user);
    chownSync(join(options.cwd, 'docker.env'), uid, gid);
    expect(runCordon(['creds', 'import', 'link.env', '--replace'], options).code).toBe(125);
    expect(readFileSync(join(options.cwd, 'docker.env'), 'utf8')).toContain(value);
  });
});
