import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from './support.ts';

const CANARY = 'canary-of-mine';

/** Ways in which a value is exported, or stands under a name that means a credential. */
const PLANTED: readonly string[] = [
  `export N=${CANARY}`,
  `export N='a ${CANARY}' # ${CANARY}`,
  `export "N=${CANARY} b"`,
  `N=${CANARY}; export N`,
  `export N=$(echo ${CANARY})`,
  `export LC_A=1 N="${CANARY}"`,
  `declare -gx N=${CANARY}`,
  `typeset -x N='${CANARY}'`,
  `API_TOKEN=${CANARY} curl x`,
  `alias d='DB_PASSWORD=${CANARY} d'`,
  `trap 'export N=${CANARY}' EXIT`,
  `eval "export N=${CANARY}"`,
  `MAIL_PASSWORD="${CANARY}"`,
  `export N='\n${CANARY}\n'`,
  `export \\\n  N=${CANARY}`,
  `# export SOME_KEY=${CANARY}`,
  `read SOME_TOKEN <<< ${CANARY}; export SOME_TOKEN`,
  `cat <<EOF\nexport N=${CANARY}\nEOF`,
];

/** What stands around it, of all the ways that make it hard to see where something ends. */
const PLAIN: readonly string[] = [
  'alias ll="ls -l"',
  "echo 'it'\\''s'",
  'echo "a $(echo "b (c")" `echo d`',
  `x=\${y#*/} z=\${#y} # comment with a " and an ' in it`,
  'cat <<EOF\nif "this\' is (open\nEOF',
  "cat <<-'E'\n\tdone\n\tE",
  'cat <<A <<B\na\nA\nb\nB',
  'echo fi done esac } {a,b}',
  'case $x in a) echo;; (b|c) echo ";;" ;; *) ;; esac',
  'case $x in\n  if) echo;;\n  "a b") echo ) ;;\nesac',
  'case $x in\n  if) echo;;\n  "a b") echo ;;\nesac',
  'x=$((1 << 2)); (( x > 1 ))',
  'a=(1 2\n  3)',
  'true && # why\n  echo',
  'true |\n  cat',
  'f()\n{\n  echo\n}',
  'function g { echo; }',
  'h() (echo)',
  '[[ $x =~ ^(a|b)$ && $y == "(" ]]',
  `echo $# $$ $? \${x:-"}"} \${x:-'}'}`,
  "echo $'it\\'s'",
  'echo \\" \\\' \\( \\#',
  'echo a#b "#c" \\\n  d # e',
  'for i in 1 2; do echo $i; done',
  'for ((i=0; i<3; i++)); do :; done',
  'if true; then echo; elif false; then :; else echo; fi',
  'while read -r l; do echo "$l"; done <<< "a"',
  'echo $(case x in x) echo;; esac)',
  'time echo; ! false',
  '{ echo; } 2>/dev/null',
  'coproc cat',
  'select x in a; do break; done',
  'until true; do :; done',
  'export LC_ALL=C PATH="$HOME/bin:$PATH"',
  'export NVM_DIR="$HOME/.nvm"',
  '',
];

const WRAPPED: readonly ((body: string) => string)[] = [
  (body) => body,
  (body) => body,
  (body) => body,
  (body) => `if true; then\n${body}\nfi`,
  (body) => `if true\nthen\n${body}\nelse\n${body}\nfi`,
  (body) => `f() {\n${body}\n}`,
  (body) => `f()\n{\n${body}\n}`,
  (body) => `for x in 1\ndo\n${body}\ndone`,
  (body) => `case x in\nx)\n${body}\n;;\nesac`,
  (body) => `(\n${body}\n)`,
  (body) => `{\n${body}\n}`,
  (body) => `while false; do\n${body}\ndone`,
  (body) => `x=$(\n${body}\n)`,
  (body) => `true &&\n${body}`,
];

const piece = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PLAIN) },
      { weight: 2, arbitrary: fc.constantFrom(...PLANTED) },
    ),
    fc.constantFrom(...WRAPPED),
  )
  .map(([text, wrap]) => wrap(text));
const script = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `${pieces.join('\n')}\n`);
/** Cut off or mixed up anywhere. */
const broken = fc
  .tuple(script, fc.nat(), fc.nat())
  .map(([text, a, b]) => text.slice(0, a % text.length) + text.slice(b % text.length));

const isSound = (text: string) => spawnSync('bash', ['-n'], { input: text }).status === 0;

describe('whatever a start-up file looks like', () => {
  it('no value that is exported or means a credential is in the copy, and the copy is as sound as the file', () => {
    let blanked = 0;
    fc.assert(
      fc.property(script, (text) => {
        const copy = copyOf(text);
        expect(copy).not.toContain(CANARY);
        if (copy === '' || copy === text) return;
        blanked++;
        expect(copy.split('\n')).toHaveLength(text.split('\n').length);
        if (!isSound(copy)) expect(isSound(text)).toBe(false);
      }),
      { numRuns: 400 },
    );
    expect(blanked).toBeGreaterThan(20);
  });

  it('the same where it is cut off', () => {
    fc.assert(
      fc.property(broken, (text) => {
        const copy = copyOf(text);
        if (copy !== '' && copy !== text && !isSound(copy)) expect(isSound(text)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
