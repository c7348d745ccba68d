import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examined, homeWith } from './support.ts';

const V = 'canary-of-mine';
const EXPORT = `export FOO=${V}\nalias x=1\n`;
const CLEAN = '\nalias x=1\n';

describe('files that shells read', () => {
  it.each([
    ...['.profile', '.bash_profile', '.bashrc', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion'],
    ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.shrc', '.kshrc', '.xprofile', '.xsessionrc', '.bashrc.d/work'],
    ...['.config/fish/config.fish', '.config/fish/conf.d/keys.fish', '.config/plasma-workspace/env/keys.sh'],
  ])('%s', (name) => {
    expect(examined(homeWith({ [name]: EXPORT })).get(name)?.text).toBe(CLEAN);
  });

  it.each([
    ...['etc/profile', 'etc/profile.d/keys.sh', 'etc/bash.bashrc', 'etc/bashrc', 'etc/zsh/zshenv', 'etc/zshrc'],
    ...['etc/fish/config.fish', 'etc/fish/conf.d/keys.fish'],
  ])('of the system: %s', (name) => {
    const home = homeWith({ [name]: EXPORT });
    expect(examined(home, undefined, { root: home }).get(name)?.text).toBe(CLEAN);
  });

  it('of the system, with nothing but variables', () => {
    const home = homeWith({ 'etc/environment': `LANG=C\nFOO=${V}\n` });
    expect(examined(home, undefined, { root: home }).get('etc/environment')?.text).toBe('LANG=C\n\n');
  });

  it('where variables say that they are', () => {
    const home = homeWith({ 'z/.zshrc': EXPORT, 'c/fish/config.fish': EXPORT, 'named/env': EXPORT });
    const more = { zdotdir: join(home, 'z'), config: join(home, 'c'), named: [join(home, 'named/env')] };
    expect([...examined(home, undefined, more).keys()].sort()).toEqual(['c/fish/config.fish', 'named/env', 'z/.zshrc']);
    const moved = homeWith({ '.zshenv': 'export ZDOTDIR=~/.config/z\n', '.config/z/.zshrc': EXPORT });
    expect(examined(moved).get('.config/z/.zshrc')?.text).toBe(CLEAN);
  });
});

describe('a word in two lines', () => {
  it.each([
    [`ex\\\nport FOO=${V}\n`, '\n\n'],
    [`A\\\nB=${V}; export AB\n`, '\n\n'],
    [`export AB\nA\\\nB=${V}\n`, '\n\n\n'],
  ])('%j', (text, left) => expect(examined(homeWith({ '.bashrc': text })).get('.bashrc')?.text).toBe(left));
  it('that takes a file in', () => {
    const files = examined(homeWith({ '.bashrc': 'sou\\\nrce ~/.ex\\\ntra\n', '.extra': EXPORT }));
    expect(files.get('.extra')?.text).toBe(CLEAN);
  });
});

describe('nushell', () => {
  it.each([
    ['$env.GITHUB_TOKEN = "short"', ''],
    [`$env.FOO = "${V}"`, ''],
    [`load-env { FOO: "${V}" }`, ''],
    ['$env.config = {', '$env.config = {'],
    ['$env.PROMPT_COMMAND = {|| pwd }', '$env.PROMPT_COMMAND = {|| pwd }'],
    ['alias x = ls', 'alias x = ls'],
  ])('%s', (line, left) => {
    const text = `${line}\n${line.endsWith('{') ? '  show_banner: false\n}\n' : ''}$env.BAR = "${V}"\n`;
    const copy = examined(homeWith({ '.config/nushell/env.nu': text })).get('.config/nushell/env.nu')?.text;
    expect(copy).toBe(text.replace(line, left).replace(`$env.BAR = "${V}"`, ''));
  });
});

describe('files that those take in', () => {
  it.each([
    ['. ~/.extra', '.extra'],
    ['source "$HOME/.config/keys.sh"', '.config/keys.sh'],
    [`. "\${HOME}/my keys"`, 'my keys'],
    ['[ -r ~/.extra ] && \\. ~/.extra', '.extra'],
    ['if true; then\n  . ~/.extra\nfi', '.extra'],
    ['. ~/.local/share/keys.sh', '.local/share/keys.sh'],
    ['source ~/.cache/keys.sh', '.cache/keys.sh'],
    [`source "\${XDG_CACHE_HOME:-$HOME/.cache}/keys-\${(%):-%n}.zsh"`, '.cache/keys-me.zsh'],
    ['D="$HOME/conf"\nsource "$D/keys.sh"', 'conf/keys.sh'],
    ['for f in ~/.{path,extra}; do [ -r "$f" ] && . "$f"; done', '.extra'],
    ['for f in ~/.sh.d/*.sh; do\n  . $f\ndone', '.sh.d/keys.sh'],
    ['take() { [ -r "$1" ] && . "$1"; }\ntake ~/.extra', '.extra'],
  ])('%s', (script, name) => {
    expect(examined(homeWith({ '.bashrc': `${script}\n`, [name]: EXPORT })).get(name)?.text).toBe(CLEAN);
  });

  it('all of it is exported after set -a', () => {
    const files = examined(homeWith({ '.bashrc': 'set -a\n. ~/.vars\nset +a\n', '.vars': `FOO=${V}\nLANG=C\n` }));
    expect(files.get('.vars')?.text).toBe('\nLANG=C\n');
    expect(files.get('.bashrc')?.text).toBe('');
  });

  it('and on and on, but not for ever', () => {
    const chain = Array.from({ length: 400 }, (_, i) => [
      `.f${i}`,
      `. ~/.f${i + 1}\n. ~/.f${i}\n. ~/.bashrc\n${EXPORT}`,
    ]);
    const files = examined(homeWith({ '.bashrc': '. ~/.f0\n', ...Object.fromEntries(chain) }));
    expect(files.has('.f100')).toBe(true);
    expect(files.size).toBeLessThan(400);
  });

  it('but not the project', () => {
    const home = homeWith({ '.bashrc': '. ~/work/env.sh\n', 'work/env.sh': EXPORT });
    expect([...examined(home).keys()]).toEqual([]);
  });

  it('a name without a slash is looked for where PATH leads', () => {
    const script = 'export PATH="$HOME/tools:$PATH"\n. env.sh\nsource more.sh\n. parent.sh\n';
    const files = { '.bashrc': script, 'tools/env.sh': EXPORT, 'bin/more.sh': EXPORT, 'own/parent.sh': EXPORT };
    const home = homeWith(files);
    const examinedFiles = examined(home, undefined, { programs: [join(home, 'own')] });
    for (const name of ['tools/env.sh', 'bin/more.sh', 'own/parent.sh'])
      expect(examinedFiles.get(name)?.text).toBe(CLEAN);
  });

  it('a file whose name a program tells is not taken in', () => {
    const files = examined(homeWith({ '.bashrc': 'echo 1\n. "$(locate secrets)"\n' }));
    expect(files.get('.bashrc')?.text).toBe('echo 1\n\n');
  });
});

describe('files of version managers', () => {
  const taken = (name: string, text: string) =>
    examined(homeWith({ '.bashrc': `. "$HOME/${name}"\n`, [name]: text })).get(name);

  const OWN = `export NVM_CD_FLAGS="-q"
export NVM_MIRROR="https://nodejs.example/dist"
export PATH="$HOME/.cargo/bin:$PATH"
nvm() {
  local token=default AUTH_HEADER="Authorization: $1"
  eval "export NVM_$1=$2"
  case ":\${PATH}:" in *:x:*) ;; *) export PATH="x:$PATH" ;; esac
}
`;
  it('stay as they are', () => expect(taken('.nvm/nvm.sh', OWN)).toBeUndefined());

  it.each([
    ...['export GITHUB_TOKEN=short', `export FOO="${V}"`, `declare -x FOO=${V}`, `API_TOKEN='${V}'`],
    ...[`[ -n "$x" ] && export FOO=${V}`, `export A=1 FOO=${V}`, `export URL=https://me:${V}@host.example/`],
  ])('lose a line that was added: %s', (line) => {
    const indented = `if true; then\n  ${line}\nfi\n`;
    expect(taken('.cargo/env', `${OWN}${line}\n${indented}nvm ok\n`)?.text).toBe(
      `${OWN}:\nif true; then\n:\nfi\nnvm ok\n`,
    );
  });

  it('lose it in two lines, in a comment and in fish too', () => {
    expect(taken('.cargo/env', `ex\\\nport FOO=${V}\n# export FOO=${V}\nlast`)?.text).toBe(':\n\n\nlast');
    expect(taken('.cargo/env.fish', `set -gx FOO ${V}\n`)?.text).toBe(':\n');
  });

  it('lose it in the last line too, which a backslash may end', () => {
    expect(taken('.cargo/env', `a=1\nexport TOKEN=${V}\\`)?.text).toBe('a=1\n:');
    expect(taken('.cargo/env', `a=1\nexport TOKEN=${V} \\\n`)?.text).toBe('a=1\n:\n');
  });

  it('are judged in no time, whatever they end with', () => {
    const start = process.cpuUsage();
    for (const piece of ['\\', '\\\n', 'a', 'a\\\n']) taken('.cargo/env', piece.repeat(200_000));
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  });

  it('are left out where it is part of more', () => {
    const file = taken('.sdkman/bin/sdkman-init.sh', `f() { export FOO=${V}; }\n`);
    expect(file).toMatchObject({ text: '', notes: [{ name: 'FOO', hidden: true }] });
  });
});

describe('what is no text', () => {
  it.each([
    ['binary', '\x7fELF\0'],
    ['huge', '#'.repeat((1 << 20) + 1)],
  ])('%s: left out whole', (_, text) => {
    const file = examined(homeWith({ '.bashrc': text })).get('.bashrc');
    expect(file).toMatchObject({ text: '', notes: [{ line: 1, hidden: true, file: '~/.bashrc' }] });
  });

  it('a pipe is left out, and a folder, a device and a link that leads nowhere are let be', () => {
    const home = homeWith({ 'work/.keep': '' });
    execFileSync('mkfifo', [join(home, '.bashrc')]);
    mkdirSync(join(home, '.profile'));
    symlinkSync('/dev/zero', join(home, '.zshrc'));
    symlinkSync('/dev/tty', join(home, '.zshenv'));
    symlinkSync('.zlogin', join(home, '.zlogin'));
    expect([...examined(home)].map(([name, { text }]) => [name, text])).toEqual([['.bashrc', '']]);
  });

  it('a link is followed to what it leads to', () => {
    const home = homeWith({ 'dotfiles/bashrc': EXPORT });
    symlinkSync('dotfiles/bashrc', join(home, '.bashrc'));
    const file = examined(home).get('dotfiles/bashrc');
    expect(file).toMatchObject({ text: CLEAN, notes: [{ file: '~/.bashrc', line: 1, name: 'FOO' }] });
  });
});

describe('values of the parent', () => {
  it('that are dropped stand nowhere', () => {
    const policy = {
      passes: () => true,
      drops: true,
      holdsDropped: (text: string) => text.includes(V) || text.includes('in\ntwo'),
    };
    const home = homeWith({
      '.bashrc': `login ${V}\necho\n`,
      '.zshrc': `f() {\n  login ${V}\n}\n`,
      '.profile': 'in\ntwo\n',
    });
    const files = examined(home, policy);
    expect([...files].map(([name, { text }]) => [name, text])).toEqual(
      expect.arrayContaining([
        ['.bashrc', '\necho\n'],
        ['.zshrc', ''],
        ['.profile', ''],
      ]),
    );
  });
});
