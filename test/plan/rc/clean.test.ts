import { describe, expect, it } from 'vitest';
import { NotUnderstood } from '../../../src/plan/rc/syntax/index.ts';
import { copyOf } from './support.ts';

const text = (script: string, dialect?: 'bash' | 'zsh') =>
  copyOf(script, dialect).text.replace(/ +/g, ' ').replace(/^ | $/gm, '');

describe('a copy leaves out what the policy drops', () => {
  it.each([
    ['export TOKEN=abc', ':'],
    ["export TOKEN='a b'", ':'],
    ['export TOKEN="a b" # why', ':'],
    ["export TOKEN=$'a\\tb'", ':'],
    ['FOO=bar', ':'],
    ['FOO=bar; export FOO', ':; :'],
    ['export FOO', ':'],
    ['export A=1 PATH=/x FOO=bar', 'export PATH=/x'],
    ['declare -x FOO=bar', ':'],
    ['typeset -gx FOO=bar', ':'],
    ['typeset -xr FOO=bar', ':'],
    ['readonly FOO=bar', ':'],
    ['"export" FOO=bar', ':'],
    ['\\export FOO=bar', ':'],
    ['command export FOO=bar', ':'],
    ['builtin export FOO=bar', ':'],
    ['export "FOO=bar"', ':'],
    ["export 'FOO'=bar", ':'],
    ['export FOO=$(pass x)', ':'],
    ['export FOO=`pass x`', ':'],
    [`export FOO=\${BAR:-baz}`, ':'],
    ['export $(cat x)', ':'],
    ['export $NAME=bar', ':'],
    ['$e FOO=bar', ':'],
    ['[ -t 0 ] && export FOO=bar || echo no', '[ -t 0 ] && : || echo no'],
    ['if true; then export FOO=bar; fi', 'if true; then :; fi'],
    ['f() { export FOO=bar; }', 'f() { :; }'],
    ['function f { export FOO=bar; }', 'function f { :; }'],
    ['case $x in a) export FOO=bar;; esac', 'case $x in a) :;; esac'],
    ['(export FOO=bar)', '(:)'],
    ['echo "$(export FOO=bar; env)"', 'echo "$(:; env)"'],
    ['echo `export FOO=bar`', 'echo `:`'],
    ['. <(echo export FOO=bar)', '. <(:)', 'zsh'],
    ["eval 'export FOO=bar'", ':'],
    ['eval FOO=bar', ':'],
    ['env FOO=bar sh', ':'],
    ["trap 'export FOO=bar' EXIT", ':'],
    ["PROMPT_COMMAND='export FOO=bar'", ':'],
    ["alias x='export FOO=bar' ll='ls -l'", "alias ll='ls -l'"],
    ["alias x='API_KEY=abc curl'", ':'],
    ['API_KEY=abc curl x', 'curl x'],
    ['set -a\nFOO=bar NVM_DIR=/x\nset +a', 'set -a\n:\nset +a'],
    ['. "$(locate secrets)"', ':'],
    ['FOO=(a b)', ':'],
    ['typeset -A FOO=([a]=b)', ':'],
    ['curl -H "Authorization: Bearer abcdef0123456789abcdef"', ':'],
  ] as const)('%s', (script, expected, dialect: 'bash' | 'zsh' = 'bash') => {
    expect(text(`${script}\n`, dialect)).toBe(`${expected}\n`);
  });

  it('a value over several lines goes, and every line keeps its number', () => {
    const script = "export A='1\n2\n3' PATH=/x\necho 4\n";
    const copy = copyOf(script).text;
    expect(copy.split('\n')[3]).toBe('echo 4');
    expect(copy).not.toMatch(/[123]/);
    expect(copy.replace(/\\\n/g, '').replace(/ +/g, ' ')).toBe('export PATH=/x\necho 4\n');
  });

  it('with anything else, all comments go', () => {
    expect(copyOf('# old: hunter2\nexport FOO=bar\n').text).toBe('\n:\n');
    expect(copyOf('# plain\necho x # here\n').text).toBe('# plain\necho x # here\n');
  });

  it('says line and name of each, and never a value', () => {
    const { leftOut } = copyOf(
      'echo\nexport A=secret\n# API_TOKEN=secret1\nalias b="C=secret"\nexport D\nexport ROOT="$HOME/x"\n',
    );
    expect(leftOut.map(({ line, name, what }) => `${line} ${name} ${what}`)).toEqual([
      '2 A assignment',
      '3 API_TOKEN comment',
      '5 D export',
      '6 ROOT export',
    ]);
    expect(JSON.stringify(leftOut)).not.toContain('secret');
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
    ['NVM_DIR="$HOME/.nvm"; [ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"'],
    ['eval "$(starship init bash)"'],
    ['source <(kubectl completion bash)'],
    ['while IFS= read -r line; do echo "$line"; done < file'],
    ['f() { local branch=main key="$1"; echo $branch; }'],
    ['cat <<EOF\nplain text\nEOF'],
    ['x=$((1 + 2)); (( x > 1 )) && echo'],
    ['[[ $x =~ ^(a|b)=c$ ]] || true'],
    ['path=(~/bin $path); plugins=(git docker)'],
    ['zstyle ":completion:*" matcher-list "m:{a-z}={A-Z}"'],
  ])('%s', (script) => {
    expect(copyOf(`${script}\n`).text).toBe(`${script}\n`);
  });

  it('a path or a number keeps its place in the shell and loses the export', () => {
    expect(text('export NVM_DIR="$HOME/.nvm"\n')).toBe('NVM_DIR="$HOME/.nvm"\n');
    expect(text('declare -x JAVA_HOME=/usr/lib/jvm N=4 FOO=bar\n')).toBe('JAVA_HOME=/usr/lib/jvm N=4\n');
  });

  it('a credential by its name keeps nothing, whatever the value', () => {
    expect(text('export API_KEY=/usr/lib/x SOME_TOKEN=$X\n')).toBe(':\n');
  });
});

describe('a file that cannot be understood', () => {
  it.each(['$((', '$(', `\${a:-`, '((', '"$(', '{ '])('%s, over and over', (piece) => {
    const started = performance.now();
    expect(() => copyOf(piece.repeat(20_000))).toThrow(NotUnderstood);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it.each([
    ['export A="b', '" that is not closed'],
    ["export A='b", "' that is not closed"],
    ['echo $(ls', ') is missing'],
    ['echo `ls', '` is missing'],
    ['{ echo', '} is missing'],
    ['echo )', 'one too many'],
    ['}', 'one too many'],
    ['cat <<EOF\nx', 'here-document'],
    ['case x in a) b', 'esac is missing'],
    ['echo \\', 'backslash'],
    ['cat <<EOF\nexport FOO=bar\nEOF', 'FOO stands where it cannot be taken out'],
    ['[[ $x == API_KEY=abcdef ]]', 'API_KEY stands where'],
    ['FOO=bar f() { :; }', 'odd function'],
  ])('%s', (script, why) => {
    expect(() => copyOf(script)).toThrow(NotUnderstood);
    expect(() => copyOf(script)).toThrow(why);
  });
});
