import { describe, expect, it } from 'vitest';
import { copyOf, examined, homeWith } from './support.ts';

const V = 'canary-of-mine';

describe('ordinary lines do not cost the whole file', () => {
  it.each([
    String.raw`"\u \$ "`,
    String.raw`'\[\e[01;32m\]\u@\h\[\e[0m\]:\w\$ '`,
    `"\${debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ "`,
  ])('a prompt that is exported beside one in a construct is only not exported: %s', (prompt) => {
    const before = `if [ "$x" = yes ]; then\n    PS1='\\u '\nfi\n`;
    expect(copyOf(`${before}export PS1=${prompt}\nalias x=y\n`)).toBe(`${before}PS1=${prompt}\nalias x=y\n`);
  });

  it.each([`"${V} "`, `"\${FOO:=${V}}"`, `"$(echo ${V})"`, '"`echo x`"'])(
    'what is no plain prompt goes: %s',
    (prompt) => {
      expect(copyOf(`export PS1=${prompt}\necho\n`)).toBe('\necho\n');
    },
  );

  it("conda's block stays", () => {
    const block = `# >>> conda initialize >>>
__conda_setup="$('/home/u/miniconda3/bin/conda' 'shell.bash' 'hook' 2> /dev/null)"
if [ $? -eq 0 ]; then
    eval "$__conda_setup"
else
    if [ -f "/home/u/miniconda3/etc/profile.d/conda.sh" ]; then
        . "/home/u/miniconda3/etc/profile.d/conda.sh"
    else
        export PATH="/home/u/miniconda3/bin:$PATH"
    fi
fi
unset __conda_setup
`;
    const copy = copyOf(`${block}export FOO=${V}\nalias x=y\n`);
    expect(copy).toContain('eval "$__conda_setup"\n');
    expect(copy).toContain('\nalias x=y\n');
    expect(copy).not.toContain(V);
  });

  it('conda’s variable with code of the file’s own in it does not', () => {
    expect(copyOf(`__conda_setup='export FOO=${V}'\neval "$__conda_setup"\necho\n`)).not.toContain(V);
  });
});

describe('a line goes that brings back what the policy drops', () => {
  it.each([
    `export TOKEN=${V}`,
    `export TOKEN='a ${V}'`,
    `export TOKEN="a ${V}" # why`,
    `export TOKEN=$'a\\t${V}'`,
    `export FOO=${V}`,
    `FOO=${V}; export FOO`,
    `export A=1 PATH=/x FOO=${V}`,
    `export PATH="a;b" FOO=${V}`,
    `declare -x FOO=${V}`,
    `typeset -gx FOO=${V}`,
    `typeset -xr FOO=${V}`,
    `declare -g -x FOO=${V}`,
    `"export" FOO=${V}`,
    `\\export FOO=${V}`,
    `command export FOO=${V}`,
    `builtin export FOO=${V}`,
    `export "FOO=${V}"`,
    `export "FOO=/usr/lib ${V}"`,
    `export 'FOO'=${V}`,
    `export FOO=$(echo ${V})`,
    `export FOO=\`echo ${V}\``,
    `export FOO=\${BAR:-${V}}`,
    `export FOO=(${V})`,
    `export FOO=/usr/lib <x BAR=${V}`,
    `[ -t 0 ] && export FOO=${V} || echo no`,
    `if true; then export FOO=${V}; fi`,
    `f() { export FOO=${V}; }`,
    `function f { export FOO=${V}; }`,
    `case $x in a) export FOO=${V};; esac`,
    `(export FOO=${V})`,
    `echo "$(export FOO=${V}; env)"`,
    `echo \`export FOO=${V}\``,
    `eval 'export FOO=${V}'`,
    `exec env FOO=${V} sh`,
    `trap 'export FOO=${V}' EXIT`,
    `PROMPT_COMMAND='export FOO=${V}'`,
    `alias x='export FOO=${V}' ll='ls -l'`,
    `alias x='API_KEY=${V} curl'`,
    `API_KEY=${V} curl x`,
    `API_KEY=(${V})`,
    `API_KEY=$(echo ${V})`,
    `MAIL_PASSWORD=${V}`,
    `MAILGUN_API_KEY=${V}`,
    `export MAIL_PASSWORD=${V}`,
    `# export API_TOKEN=${V}`,
    `setenv FOO ${V}`,
    `export \\\n  FOO=${V}`,
    `[[ $x == API_KEY=${V} ]]`,
  ])('%s', (script) => {
    const copy = copyOf(`alias before=1\n${script}\nalias after=1\n`);
    expect(copy).not.toContain(V);
    expect(copy).toMatch(/^alias before=1\n+alias after=1\n$/);
    expect(copy.split('\n')).toHaveLength(script.split('\n').length + 3);
  });

  it('in the last line too, which a backslash may end', () => {
    expect(copyOf(`alias x=1\nexport TOKEN=${V}\\`)).not.toContain(V);
  });

  it.each([
    'curl -H "Authorization: Bearer abcdef0123456789abcdef"',
    'git clone https://me:abcdef0123@example.com/x',
    '# key: ghp_0123456789abcdefghijABCDEFGHIJ012345',
    'export FOO',
  ])('%s', (script) => {
    expect(copyOf(`${script}\necho 2\n`)).toBe('\necho 2\n');
  });

  it.each([
    [`read FOO <<< ${V}\nexport FOO\n`],
    [`: "\${FOO:=${V}}"\nexport FOO\n`],
    [`printf -v FOO %s ${V}\ndeclare -x FOO\n`],
    [`export FOO\nFOO=${V}\n`],
    [`export API_TOKEN=${V}\nlogin ${V}\n`],
  ])('with whatever gives the value or repeats it: %s', (script) => {
    expect(copyOf(`${script}echo\n`)).toBe('\n\necho\n');
  });

  it('and with it all lines that are comments', () => {
    expect(copyOf('# old: hunter2\nexport FOO=bar\nif true; then\n# more\n  x\nfi\n')).toBe(
      '\n\nif true; then\n\n  x\nfi\n',
    );
    expect(copyOf('# plain\necho x # here\n')).toBe('# plain\necho x # here\n');
  });

  it('says line and name of each, and never a value', () => {
    const script = `echo\nexport A=${V}\n# API_TOKEN=${V}\nalias b="C_KEY=${V}"\nexport D\nexport ROOT="$HOME/x"\n`;
    const file = examined(homeWith({ '.bashrc': script })).get('.bashrc');
    expect(file?.notes.map((note) => `${note.file}:${note.line} ${note.saying}`)).toEqual([
      '~/.bashrc:2 sets A: left out of the copy',
      '~/.bashrc:3 holds API_TOKEN: left out of the copy',
      '~/.bashrc:4 holds C_KEY: left out of the copy',
      '~/.bashrc:5 exports D: left out of the copy',
      '~/.bashrc:6 exports ROOT: not exported in the copy',
    ]);
    expect(JSON.stringify(file)).not.toContain(V);
  });
});

describe('what only a run can tell goes by itself', () => {
  const BODIES = [
    "export $(grep -v '^#' .env | xargs)",
    'set -a; . ./.env; set +a',
    'set -a; . ./.env',
    'export "$1=$2"',
    'declare -gx "$1=$2"',
    'eval "export $1=$2"',
  ];

  it.each(BODIES)('where a function that no line calls does it: %s', (body) => {
    for (const written of [`load() {\n  ${body}\n}\n`, `function load {\n  ${body}\n}\n`, `load() { ${body}; }\n`]) {
      const copy = copyOf(`alias x=y\n${written}EDITOR_OF=${V}\nalias z=y\n`);
      expect(copy).toBe(`alias x=y\n${written.replace(/[^\n]/g, '')}EDITOR_OF=${V}\nalias z=y\n`);
    }
  });

  it.each(BODIES)('but not where a line calls the function, in this file or another: %s', (body) => {
    const written = `load() {\n  ${body}\n}\n`;
    expect(copyOf(`${written}load THING ${V}\n`)).toBe('');
    const files = examined(homeWith({ '.bashrc': written, '.bash_profile': `. ~/.bashrc\nload THING ${V}\n` }));
    expect(files.get('.bashrc')).toMatchObject({ text: '' });
  });

  it.each(["export $(grep -v '^#' .env | xargs)", 'set -a; . ./.env; set +a'])(
    'where a statement has it from elsewhere, and no other line gives a value: %s',
    (statement) => {
      for (const written of [`${statement}\n`, `if [ -f .env ]; then\n  ${statement}\nfi\n`]) {
        const blank = written.replace(/[^\n]/g, '');
        expect(copyOf(`alias x='y z'\nPATH=/a:$PATH\n${written}set -o vi\n`)).toBe(
          `alias x='y z'\nPATH=/a:$PATH\n${blank}set -o vi\n`,
        );
        expect(copyOf(`THING=${V}\n${written}`)).toBe('');
        expect(copyOf(`alias x=y; THING=${V}\n${written}`)).toBe('');
      }
    },
  );
});

it.each(['pyenv init -', 'pyenv virtualenv-init -', 'rbenv init - bash'])(
  'a program that sets itself up stays: %s',
  (program) => {
    const text = `eval "$(${program})"\nalias x=y\n`;
    expect(copyOf(text)).toBe(text);
  },
);

describe('the whole file goes', () => {
  it.each([
    ['a value over several lines', `export A='1\n${V}\n3'\n`, 1],
    ['a function body', `f() {\n  export A=${V}\n}\n`, 2],
    ['a function body after its name', `f()\n{ export A=${V}; }\n`, 1],
    ['a block', `if true\nthen\nexport A=${V}\nfi\n`, 3],
    ['a loop', `for x in 1; do\n  typeset -x A=${V}\ndone\n`, 2],
    ['a case', `case $x in\n  a) export A=${V} ;;\nesac\n`, 2],
    ['a here-document', `cat <<EOF\nexport A=${V}\nEOF\n`, 1],
    ['a here-document whose end looks otherwise', `cat <<'E N'\nexport A=${V}\nE N\n`, 1],
    ['a list', `A_KEY=(\n ${V}\n)\n`, 1],
    ['a line that goes on', `true &&\n  export A=${V}\n`, 1],
    ['a quote that is not closed', `export A="${V}\n`, 1],
    ['anything, where a quote is not closed', `export A=${V}\nexport LC_ALL="open\n`, 1],
    ['anything, where a block is not closed', `export A=${V}\nif true; then\n`, 1],
    ['names that only a run can tell', `alias x=1\nexport $(cat x)\nA=${V}\n`, 2],
    ['an export by another name', `$e FOO=${V}\n`, 1],
    ['a name made up', `export $NAME=${V}\n`, 1],
    ['a name in parts', `export A_$N=${V}\n`, 1],
    ['eval of arguments', `put() { eval "export $1=$2"; }\nput THING ${V}\n`, 1],
    ['eval of a variable', `x=${V}; eval "$x"\n`, 1],
    ['allexport', `set -a\nFOO=${V}\nset +a\n`, 1],
    ['allexport by name', `set -o allexport\nFOO=${V}\n`, 1],
    ['allexport of zsh', `setopt all_export\nFOO=${V}\n`, 1],
    ['the output of a program', `x() { echo FOO=${V}; }\nsource <(x)\n`, 2],
    ['what comes on a descriptor', `. /dev/stdin <<< A=${V}\n`, 1],
    ['a word in pieces', `ex''port FOO=${V}\n`, 1],
  ])('%s', (_, script, line) => {
    const file = examined(homeWith({ '.bashrc': script })).get('.bashrc');
    expect(file).toMatchObject({ text: '', notes: [{ line, hidden: true, file: '~/.bashrc' }] });
    expect(file?.notes[0]?.saying).toMatch(/: the whole file is left out$/);
    expect(JSON.stringify(file)).not.toContain(V);
  });

  it.each([
    '$((',
    '$(',
    `\${a:-`,
    '((',
    '"$(',
    '{ ',
    '{\n',
    '(\n',
    '<<a\n',
    'if\n',
    'a="',
    'export a=',
    'eval ',
    'set -b ',
    '# \n',
  ])('and nothing hangs on %s, over and over', (piece) => {
    const started = performance.now();
    copyOf(`export A=${V}\n${piece.repeat(50_000)}`);
    copyOf(`A="${piece.replaceAll('"', '').repeat(50_000)}"`);
    expect(performance.now() - started).toBeLessThan(8000);
  });
});

describe('the rest stays as it is', () => {
  it.each([
    ['export PATH="$HOME/bin:$PATH"'],
    ['export LANG=C LC_ALL=C'],
    ["alias ll='ls -l --color=auto'"],
    ["PS1='\\u@\\h:\\w\\$ '"],
    ['HISTSIZE=1000 HISTCONTROL=ignoreboth'],
    ['color_prompt=yes'],
    ['NVM_DIR="$HOME/.nvm"; [ -s "$NVM_DIR/nvm.sh" ] && echo "$NVM_DIR/nvm.sh"'],
    ['eval "$(starship init bash)"'],
    ['test -r ~/.dircolors && eval "$(dircolors -b ~/.dircolors)" || eval "$(dircolors -b)"'],
    ['[ -x /usr/bin/lesspipe ] && eval "$(SHELL=/bin/sh lesspipe)"'],
    ['source <(kubectl completion bash)'],
    ['while IFS= read -r line; do echo "$line"; done < file'],
    ['f() { local branch=main key="$1"; echo $branch; }'],
    ['f() {\n  local token=$(gh auth token)\n}'],
    ['cat <<EOF\nplain text\nEOF'],
    ['x=$((1 + 2)); (( x > 1 )) && echo'],
    ['[[ $x =~ ^(a|b)=c$ ]] || true'],
    ['path=(~/bin $path); plugins=(git docker)'],
    ['zstyle ":completion:*" matcher-list "m:{a-z}={A-Z}"'],
    ['KEYTIMEOUT=1'],
    [`key=(\n  Home "\${terminfo[khome]}"\n)`],
    ['set -x; make CC=clang; set +x'],
  ])('%s', (script) => {
    expect(copyOf(`${script}\n`)).toBe(`${script}\n`);
  });

  it('a path or a number keeps its place in the shell and loses the export', () => {
    const script = 'if true; then\n  export NVM_DIR="$HOME/.nvm" # here\nfi\nexport N=4\n';
    expect(copyOf(script)).toBe('if true; then\n  NVM_DIR="$HOME/.nvm"\nfi\nN=4\n');
  });

  it('a credential by its name keeps nothing, whatever the value', () => {
    expect(copyOf('export API_KEY=/usr/lib/x\nexport SOME_TOKEN=$X\n')).toBe('\n\n');
  });
});

describe('other languages', () => {
  it.each([
    ['.config/fish/config.fish', `set -gx FOO ${V}\nset -g fish_greeting hi\n`, '\nset -g fish_greeting hi\n'],
    ['.config/fish/config.fish', `set -g API_KEY ${V}\nset --export FOO ${V}\n`, '\n\n'],
    ['.config/fish/conf.d/a.fish', `if true\n  x\nend\nset -Ux FOO ${V}\n`, ''],
    ['.config/fish/conf.d/a.fish', `function f\n  set -x FOO ${V}\nend\n`, ''],
    ['.config/fish/conf.d/a.fish', `set -gx $argv[1] ${V}\n`, ''],
    ['.config/fish/fish_variables', `# v\nSETUVAR --export FOO:${V}\nSETUVAR PATH:/x\n`, '\n\nSETUVAR PATH:/x\n'],
    ['.cshrc', `setenv FOO ${V}\nset token = ${V}\nset prompt="> "\n`, '\n\nset prompt="> "\n'],
    ['.pam_environment', `FOO DEFAULT=${V}\nLANG DEFAULT=C\n`, '\nLANG DEFAULT=C\n'],
    ['.config/environment.d/a.conf', `FOO=${V}\nLANG=C\n`, '\nLANG=C\n'],
  ])('%s %s', (name, script, expected) => {
    expect(copyOf(script, name)).toBe(expected);
  });
});
