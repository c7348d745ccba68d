import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCordon } from '../../support/cordon.ts';
import { SELF, USERS } from '../../support/users.ts';
import { BASH, BASH_INTERACTIVE, homeWith, inside, ZSH, ZSH_INTERACTIVE } from './support.ts';

const CANARY = 'canary-plain-words';

const BASHRC = `# mine
export PATH="$HOME/bin:$PATH"
export DEPLOY_THING=${CANARY}
COMPANY_KEY=${CANARY}
alias ll='echo aliased'
export NVM_DIR="$HOME/.nvm"
[ -s "$NVM_DIR/nvm.sh" ] && \\. "$NVM_DIR/nvm.sh"
greet() { echo greeting; }
for file in ~/.{path,extra}; do [ -r "$file" ] && . "$file"; done
export LC_KEPT=kept
`;
const EXTRA = `export AWS_SECRET_ACCESS_KEY='${CANARY} more'
export PATH="$PATH:/extra"
`;
const FILES = {
  '.bashrc': BASHRC,
  '.profile': '. ~/.bashrc\n',
  '.extra': EXTRA,
  '.nvm/nvm.sh': 'nvm() { echo "nvm in $NVM_DIR"; }\nNVM_OWN="third party"\n',
};
const ZSH_FILES = {
  '.zshenv': `export GITHUB_TOKEN=${CANARY}\nexport ZDOTDIR=$HOME/.config/z\n`,
  '.config/z/.zshrc': `path+=(~/zbin)\ntypeset -gx THING=${CANARY}\nalias ll='echo aliased'\nPLAIN_KEY=${CANARY}\ngreet() { echo greeting }\nexport LC_KEPT=kept\n`,
};

describe.each(USERS)('for %s', (user) => {
  it.each([
    ['a login bash', BASH],
    ['an interactive bash', BASH_INTERACTIVE],
  ] as const)('%s has nothing of what its files export, and all the rest', (_, shell) => {
    const home = homeWith(user, FILES);
    const read = 'cat ~/.bashrc ~/.extra';
    const { env, said, stdout } = inside(home, user, shell, `shopt -s expand_aliases; ${read}; greet; nvm; eval ll`);
    expect(stdout).not.toContain(CANARY);
    expect(said).toMatch(new RegExp(`greeting\nnvm in ${home}/.nvm\naliased\n?$`));
    expect(env.get('PATH')).toMatch(new RegExp(`^${home}/bin:.*:/extra$`));
    expect(env.get('LC_KEPT')).toBe('kept');
    expect(
      [...env.keys()].filter((name) => !/^(?:CORDON|PATH|HOME|LANG|LC_KEPT|PWD|OLDPWD|SHLVL|_)$/.test(name)),
    ).toEqual([]);
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(BASHRC);
  });

  it.each([
    ['a login bash', BASH, FILES, 'DEPLOY_THING'],
    ['an interactive bash', BASH_INTERACTIVE, FILES, 'AWS_SECRET_ACCESS_KEY'],
    ['a login zsh', ZSH, ZSH_FILES, 'GITHUB_TOKEN'],
    ['an interactive zsh', ZSH_INTERACTIVE, ZSH_FILES, 'THING'],
  ] as const)('%s has it all without the guarded filesystem', (_, shell, files, name) => {
    const { env } = inside(homeWith(user, files), user, shell, ':', ['--fs', 'all']);
    expect(env.get(name)).toContain(CANARY);
  });

  it.each([
    ['a login zsh', ZSH, false],
    ['an interactive zsh', ZSH_INTERACTIVE, true],
  ] as const)('%s likewise, wherever its files are', (_, shell, readsRc) => {
    const home = homeWith(user, ZSH_FILES);
    const { env, said, stdout } = inside(
      home,
      user,
      shell,
      `cat ~/.zshenv ~/.config/z/.zshrc; ${readsRc ? 'greet; eval ll' : ':'}`,
    );
    expect(stdout).not.toContain(CANARY);
    expect(env.has('GITHUB_TOKEN')).toBe(false);
    expect(said.trimEnd().endsWith(readsRc ? 'greeting\naliased' : 'LC_KEPT=kept')).toBe(true);
    expect(env.get('PATH')?.endsWith(`${home}/zbin`)).toBe(readsRc);
    expect(env.get('LC_KEPT')).toBe(readsRc ? 'kept' : undefined);
  });

  it('a line in a file of a version manager, one found by PATH or one in two lines brings nothing back', () => {
    const home = homeWith(user, {
      '.bashrc': [
        ...['. "$HOME/.cargo/env"', 'export NVM_DIR="$HOME/.nvm"', '[ -s "$NVM_DIR/nvm.sh" ] && \\. "$NVM_DIR/nvm.sh"'],
        ...['export PATH="$HOME/bin:$PATH"', '. env.sh', `ex\\\nport FOURTH=${CANARY}`, ''],
      ].join('\n'),
      '.cargo/env': `export PATH="$HOME/.cargo/bin:$PATH"\nexport FIRST=${CANARY}\n`,
      '.nvm/nvm.sh': `nvm() {\n  if true; then\n    export SECOND=${CANARY}\n  fi\n  echo nvm\n}\nnvm\n`,
      'bin/env.sh': `#!/bin/sh\nexport THIRD=${CANARY}\n`,
    });
    const { env, said, stdout } = inside(
      home,
      user,
      BASH_INTERACTIVE,
      'cd; cat .bashrc .cargo/env .nvm/nvm.sh bin/env.sh; nvm',
    );
    expect(stdout).not.toContain(CANARY);
    expect(said).toMatch(/nvm\n?$/);
    expect(env.get('PATH')).toContain(`${home}/bin:${home}/.cargo/bin:`);
    const all = inside(home, user, BASH_INTERACTIVE, ':', ['--fs', 'all']).env;
    expect(['FIRST', 'SECOND', 'THIRD', 'FOURTH'].map((name) => all.get(name))).toEqual(Array(4).fill(CANARY));
  });

  it('a file that cannot be cut up is left out whole, which is said', () => {
    const home = homeWith(user, {
      '.bashrc': `export A=${CANARY}\nexport LC_KEPT="open\n`,
      '.zshrc': 'export LC_OTHER=there\n',
    });
    const { stdout, stderr, env } = inside(home, user, BASH_INTERACTIVE, 'cat ~/.bashrc ~/.zshrc');
    expect(stdout).not.toContain(CANARY);
    expect(env.has('LC_KEPT')).toBe(false);
    expect(stdout).toContain('LC_OTHER=there');
    expect(stderr).toContain('~/.bashrc:1 sets A in a construct of several lines: the whole file is left out');
  });

  it('a copy that is written, moved or removed uncovers nothing, and the real file stays', () => {
    const home = homeWith(user, FILES);
    const { said } = inside(
      home,
      user,
      ['bash'],
      'echo x >> ~/.bashrc; mv ~/.bashrc ~/y; umount ~/.bashrc; cat ~/.bashrc ~/y; rm -f ~/y; ls -A ~; cat ~/.bashrc',
    );
    expect(said).toContain('greet()');
    expect(said).not.toContain(CANARY);
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(BASHRC);
  });

  it('a bundle of certificates that is mentioned is there as it is, but for a private key in it', () => {
    const block = (kind: string, seed: string) =>
      `-----BEGIN ${kind}-----\n${Buffer.from(seed.repeat(9)).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----\n`;
    const certificates = ['aQ3', 'zX81', 'k9Lw2'].map((seed) => block('CERTIFICATE', `${seed}m4T7r0vB`)).join('\n');
    const key = block('PRIVATE KEY', 'p7Kd93Qz');
    const home = homeWith(user, {
      '.bashrc': '# see ~/.public.pem ~/.own.pem\nfor file in ~/.path; do . "$file"; done\n',
      '.path': '',
      '.public.pem': certificates,
      '.own.pem': certificates + key + certificates,
    });
    const { stdout } = inside(home, user, BASH, 'cat ~/.own.pem', ['--read', join(home, '.public.pem')]);
    expect(stdout).toContain(certificates);
    expect(stdout).not.toContain(key.split('\n')[1]);
    const options = { home, user, cwd: join(home, 'work'), env: { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C' } };
    expect(runCordon(['explain'], options).stdout).not.toContain('.public.pem');
  });

  it('a link into dotfiles is followed', () => {
    const home = homeWith(user, { 'dotfiles/bashrc': BASHRC });
    symlinkSync('dotfiles/bashrc', join(home, '.bashrc'));
    const { stdout } = inside(home, user, BASH_INTERACTIVE, 'cat ~/.bashrc ~/dotfiles/bashrc; greet');
    expect(stdout).not.toContain(CANARY);
    expect(stdout).toContain('greeting');
  });

  it('what is exposed is there as it is', () => {
    const home = homeWith(user, FILES);
    const { env } = inside(home, user, BASH_INTERACTIVE, ':', ['--expose', `${home}/.bashrc`]);
    expect(env.get('DEPLOY_THING')).toBe(CANARY);
    expect(env.has('AWS_SECRET_ACCESS_KEY')).toBe(false);
  });

  it('what the policy passes stays, and a credential of the policy is not overwritten', () => {
    const home = homeWith(user, { '.bashrc': `export MINE=${CANARY}\nexport OTHER=${CANARY}\n` });
    const { env } = inside(home, user, BASH_INTERACTIVE, ':', ['--allow', 'MINE', '--set', 'OTHER=of the policy']);
    expect(env.get('MINE')).toBe(CANARY);
    expect(env.get('OTHER')).toBe('of the policy');
  });

  it('a value of the parent that is dropped is not in any file that shells read', () => {
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const home = homeWith(user, { '.bashrc': `login ${token.slice(0, 20)}''${token.slice(20)}\ncurl ${token} x\n` });
    const run = (flags: readonly string[]) =>
      runCordon(['run', ...flags, '--', 'cat', join(home, '.bashrc')], {
        user,
        home,
        env: { GH: token, HOME: home, PATH: '/usr/bin' },
      });
    expect(run([]).stdout).not.toContain(token);
    expect(run(['--fs', 'all']).stdout).toContain(token);
  });
});

describe('explain and --dry-run', () => {
  const user = SELF;
  const setUp = () => {
    const home = homeWith(user, { ...FILES, '.zshrc': 'export A="x\n' });
    return { home, user, cwd: join(home, 'work'), env: { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C' } };
  };

  it('name file and line of each, and no value', () => {
    const options = setUp();
    for (const args of [['explain'], ['run', '--dry-run', '--', 'true']]) {
      const { stdout } = runCordon(args, options);
      expect(stdout).toContain('~/.bashrc:3 sets DEPLOY_THING: left out of the copy\n');
      expect(stdout).toContain('~/.bashrc:6 exports NVM_DIR: not exported in the copy\n');
      expect(stdout).toContain('~/.extra:1 sets AWS_SECRET_ACCESS_KEY: left out of the copy\n');
      expect(stdout).toContain('~/.zshrc:1 sets A in a construct of several lines: the whole file is left out\n');
      expect(stdout).not.toContain(CANARY);
    }
  });

  it('many of one file are one line', () => {
    const options = setUp();
    const many = Array.from({ length: 40 }, (_, at) => `export THING_${at}=${CANARY}\n`).join('');
    writeFileSync(join(options.home, '.bashrc'), many);
    const { stdout } = runCordon(['explain'], options);
    expect(stdout.match(/^~\/\.bashrc.*$/gm)).toEqual([
      '~/.bashrc: 40 lines are left out of the copy or not exported in it (THING_0, THING_1, THING_2, THING_3, THING_4, THING_5, …)',
    ]);
  });

  it('one variable is asked for', () => {
    const { stdout } = runCordon(['explain', 'DEPLOY_THING'], setUp());
    expect(stdout).toMatch(
      /^DEPLOY_THING does not arrive: .*; ~\/\.bashrc:3 sets DEPLOY_THING: left out of the copy \(/,
    );
  });

  it('as JSON', () => {
    const options = setUp();
    const explained = JSON.parse(runCordon(['explain', '--json', 'DEPLOY_THING'], options).stdout);
    expect(explained).toMatchObject([
      { name: 'DEPLOY_THING', verdict: 'drop', reason: expect.stringContaining('~/.bashrc:3') },
    ]);
    const { stdout } = runCordon(['run', '--dry-run', '--json', '--', 'true'], options);
    expect(JSON.parse(stdout).startup).toContainEqual({
      file: '~/.bashrc',
      line: 3,
      name: 'DEPLOY_THING',
      hidden: false,
      saying: 'sets DEPLOY_THING: left out of the copy',
    });
    expect(stdout).not.toContain(CANARY);
  });
});
