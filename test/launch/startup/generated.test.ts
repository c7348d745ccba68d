import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USERS } from '../../support/users.ts';
import { BASH_INTERACTIVE, type Files, homeWith, inside, ZSH_INTERACTIVE } from './support.ts';

interface Statement {
  readonly text: string;
  /** More files it needs. */
  readonly files?: Files;
  /** Whether a shell that runs it without protection has the canary in its environment. */
  readonly exports: boolean;
}

type Form = readonly [
  exports: boolean,
  write: (name: string, value: string) => string,
  files?: (name: string, value: string) => Files,
];

const FORMS: readonly Form[] = [
  [true, (n, v) => `export ${n}=${v}`],
  [true, (n, v) => `export ${n}='${v}' # ${v}`],
  [true, (n, v) => `export ${n}="${v}"; echo after >/dev/null`],
  [true, (n, v) => `export ${n}=$'${v}'`],
  [true, (n, v) => `export "${n}=${v}"`],
  [true, (n, v) => `\\export ${n}=${v}`],
  [true, (n, v) => `builtin export ${n}=${v}`],
  [true, (n, v) => `"export" ${n}=${v}`],
  [true, (n, v) => `export LC_A=1 ${n}=${v} LC_B=2`],
  [true, (n, v) => `export \\\n  ${n}=${v}`],
  [true, (n, v) => `export ${n}='first\n${v}\nlast'`],
  [true, (n, v) => `${n}=${v}; export ${n}`],
  [true, (n, v) => `export ${n}\n${n}=${v}`],
  [true, (n, v) => `typeset -x ${n}=${v}`],
  [true, (n, v) => `declare -x "${n}"=${v}`],
  [true, (n, v) => `if true; then export ${n}=${v}; fi`],
  [true, (n, v) => `[ -n x ] && export ${n}=${v} || true`],
  [true, (n, v) => `case x in x) export ${n}=${v};; esac`],
  [true, (n, v) => `{ export ${n}=${v}; }`],
  [true, (n, v) => `fn_${n}() { export ${n}=${v}; }\nfn_${n}`],
  [true, (n, v) => `function fn_${n} {\n  export ${n}=${v}\n}\nfn_${n}`],
  [true, (n, v) => `for i in 1 2; do export ${n}=${v}; done`],
  [true, (n, v) => `eval "export ${n}=${v}"`],
  [true, (n, v) => `eval export ${n}=${v}`],
  [true, (n, v) => `e_${n}=export; $e_${n} ${n}=${v}`],
  [true, (n, v) => `set -a; ${n}=${v}; set +a`],
  [true, (n, v) => `export ${n}=$(echo ${v})`],
  [true, (n, v) => `export ${n}=\`echo ${v}\``],
  [true, (n, v) => `export ${n}=\${NOT_THERE:-${v}}`],
  [true, (n, v) => `OTHER_${n}=${v}; export ${n}=$OTHER_${n}`],
  [true, (n) => `. ~/.more_${n}`, (n, v) => ({ [`.more_${n}`]: `export ${n}=${v}\n` })],
  [
    true,
    (n) => `D_${n}=~/conf; [ -r $D_${n}/${n}.sh ] && source "$D_${n}/${n}.sh"`,
    (n, v) => ({ [`conf/${n}.sh`]: `export ${n}=${v}\n` }),
  ],
  [
    true,
    (n) => `for f in ~/.{none,some_${n}}; do [ -r "$f" ] && . "$f"; done`,
    (n, v) => ({ [`.some_${n}`]: `export ${n}=${v}\n` }),
  ],
  [
    true,
    (n) => `take_${n}() { [ -r "$1" ] && . "$1"; }\ntake_${n} ~/.arg_${n}`,
    (n, v) => ({ [`.arg_${n}`]: `export ${n}=${v}\n` }),
  ],
  [true, (n) => `set -a\n. ~/.env_${n}\nset +a`, (n, v) => ({ [`.env_${n}`]: `${n}=${v}\n` })],
  [false, (n, v) => `${n}_TOKEN=${v}`],
  [false, (n, v) => `# export ${n}_TOKEN=${v}`],
  [false, (n, v) => `alias a_${n}='export ${n}=${v}'`],
  [false, (n, v) => `trap 'export ${n}=${v}' USR1`],
  [false, (n, v) => `${n}_TOKEN=${v} true`],
];

/** Where the value comes from is not an assignment: the file is hidden. */
const UNCLEAR: readonly Form[] = [
  [true, (n, v) => `: "\${${n}:=${v}}"; export ${n}`],
  [true, (n, v) => `read ${n} <<< ${v}; export ${n}`],
  [true, (n, v) => `for ${n} in ${v}; do export ${n}; done`],
];

const KEPT = [
  'export PATH="$PATH:/kept"',
  'export LC_KEPT=kept',
  "alias kept='echo alias-kept'",
  'kept_function() { echo function-kept; }',
];

const form = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...FORMS) },
  { weight: 1, arbitrary: fc.constantFrom(...UNCLEAR) },
);

const statement = (i: number): fc.Arbitrary<Statement> =>
  fc
    .tuple(form, fc.stringMatching(/^[a-z]{8}$/))
    .map(([chosen, letters]) => written(chosen, `VAR_${i}`, `canary-${letters}`));

const script = fc
  .integer({ min: 1, max: 12 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => statement(i))));

function written([exports, write, files]: Form, name: string, value: string): Statement {
  return { text: write(name, value), exports, ...(files === undefined ? {} : { files: files(name, value) }) };
}

function filesOf(rc: string, statements: readonly Statement[]): Files {
  const lines = [KEPT[0], ...statements.map(({ text }) => text), ...KEPT.slice(1)];
  return Object.assign({ [rc]: `${lines.join('\n')}\n` }, ...statements.map(({ files }) => files ?? {}));
}

const OWN = /^(?:CORDON|PATH|HOME|LANG|LC_\w+|PWD|OLDPWD|SHLVL|LOGNAME|_)$/;

describe.each([
  ['bash', '.bashrc', BASH_INTERACTIVE],
  ['zsh', '.zshrc', ZSH_INTERACTIVE],
] as const)('whatever a start-up file of %s exports', (_, rc, shell) => {
  it('is there without protection, for each form', () => {
    const statements = [...FORMS, ...UNCLEAR].map((one, i) => written(one, `VAR_${i}`, 'canary-form'));
    const { env } = inside(homeWith('cordon-test', filesOf(rc, statements)), 'cordon-test', shell, ':', [
      '--fs',
      'all',
    ]);
    for (const [i, { text, exports }] of statements.entries())
      if (exports) expect(env.get(`VAR_${i}`), text).toContain('canary-form');
  });

  it.each(USERS)('never comes back for %s, and the rest still works', (user) => {
    fc.assert(
      fc.property(script, (statements) => {
        const home = homeWith(user, filesOf(rc, statements));
        const ran = inside(
          home,
          user,
          shell,
          `cd; cat ~/${rc} $(find . -type f); command -v kept_function && kept_function && eval kept`,
        );
        expect(ran.stdout).not.toContain('canary-');
        expect([...ran.env.keys()].filter((one) => !OWN.test(one))).toEqual([]);
        if (ran.stderr.includes('the whole file is left out')) return;
        expect(ran.said).toContain('function-kept\nalias-kept');
        expect(ran.env.get('PATH')).toContain(':/kept');
        expect(ran.env.get('LC_KEPT')).toBe('kept');
      }),
      { numRuns: 10 },
    );
  });
});
