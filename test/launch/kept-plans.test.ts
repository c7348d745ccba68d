import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshHome, installedPackage, runInOwnAccountHome } from '../support/cordon.ts';
import { EVERYTHING } from '../support/extent.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS, type User } from '../support/users.ts';

/** What a policy can do to a command: its variables, and what it finds in its home. */
const EFFECT = `env | sort; for f in .bashrc .npmrc .gitconfig note shown/a hidden/a; do echo "== $f"; cat ~/"$f" 2>&1; done
ls -A ~ | sort; cat "$LISTED" 2>&1; exit 3`;

/** A package of its own, whose Node writes down that it was started. */
class Stage {
  readonly user: User;
  readonly root = openFolder('kept');
  readonly homes: readonly string[];
  readonly work: string;
  readonly #account: string;
  readonly #program: string;
  readonly #log: string;
  env: Record<string, string> = {};
  home: string;
  cwd: string;
  through: readonly string[] = [];

  constructor(user: User) {
    this.user = user;
    cpSync(installedPackage(), join(this.root, 'package'), { recursive: true, preserveTimestamps: true });
    this.#program = join(this.root, 'package/bin/cordon');
    this.#log = join(this.root, 'log');
    writeFileSync(this.#log, '');
    chmodSync(this.#log, 0o666);
    const node = join(this.root, 'node');
    writeFileSync(node, `#!/bin/sh\necho planned >>${this.#log}\nexec ${process.execPath} "$@"\n`);
    chmodSync(node, 0o755);
    writeFileSync(join(this.root, 'package/dist/node-path'), `${node}\n`);
    this.#account = freshHome(user);
    this.homes = [freshHome(user), freshHome(user)];
    [this.home, this.cwd] = [this.homes[0] as string, freshHome(user)];
    this.work = this.cwd;
    // What is new may change again within one tick of the clock, and is not kept.
    execFileSync('sh', ['-c', `find ${this.root} -exec touch -h -d '1 hour ago' {} +; sleep 0.1`]);
  }

  write(path: string, text: string): void {
    const { uid, gid } = identityOf(this.user);
    if (!existsSync(dirname(path))) this.#own(dirname(path));
    rmSync(path, { force: true });
    writeFileSync(path, text);
    chownSync(path, uid, gid);
  }

  #own(folder: string): void {
    const { uid, gid } = identityOf(this.user);
    if (!existsSync(dirname(folder))) this.#own(dirname(folder));
    mkdirSync(folder, { recursive: true });
    chownSync(folder, uid, gid);
  }

  run(flags: readonly string[] = [], command: readonly string[] = ['sh', '-c', EFFECT]) {
    const before = readFileSync(this.#log, 'utf8').length;
    const [program, ...args] = [...this.through, this.#program, 'run', ...flags, '--', ...command];
    const ran = runInOwnAccountHome(program as string, args, {
      user: this.user,
      home: this.home,
      cwd: this.cwd,
      env: { PATH: '/usr/bin:/bin', ...this.env },
      accountHome: this.#account,
    });
    return { ...ran, planned: readFileSync(this.#log, 'utf8').length > before };
  }

  get state(): string {
    return this.env.CORDON_HOME === undefined
      ? join(this.home, '.local/state/cordon')
      : `${this.env.CORDON_HOME}/state`;
  }

  get plans(): string {
    return join(this.state, 'plans');
  }

  get lookedThrough(): string {
    return join(this.state, 'looked-through');
  }

  /** The same without what is kept, which is there again afterwards. */
  runFresh(flags: readonly string[]) {
    return this.#without([this.plans, this.lookedThrough], flags);
  }

  /** The same with what came of looking through files, as in a folder where nothing was started before. */
  runFirst(flags: readonly string[]) {
    return this.#without([this.plans], flags);
  }

  #without(kept: readonly string[], flags: readonly string[]) {
    for (const path of kept) if (existsSync(path)) renameSync(path, `${path}-aside`);
    const ran = this.run(flags);
    for (const path of kept) {
      rmSync(path, { recursive: true, force: true });
      if (existsSync(`${path}-aside`)) renameSync(`${path}-aside`, path);
    }
    return ran;
  }

  /** As often as it takes: what is written at a first start is not compared with. */
  untilKept(flags: readonly string[] = []): void {
    for (let tries = 0; tries < 4; tries++) if (!this.run(flags).planned) return;
    throw new Error('never kept');
  }

  get file(): string {
    return join(this.plans, readdirSync(this.plans)[0] as string);
  }
}

describe.each(USERS)('a run that was planned before, as %s', (user) => {
  it('starts without Node, any command and arguments, with the values of now', () => {
    const stage = new Stage(user);
    stage.untilKept(['--allow', 'MODE', '--set', 'GIVEN=1']);
    stage.env = { MODE: 'value-of-today', SECRET: 'value-of-mine' };
    const shown = stage.run(
      ['--allow', 'MODE', '--set', 'GIVEN=a b'],
      ['sh', '-c', 'echo $MODE/$GIVEN/$SECRET/$0', "it's"],
    );
    expect(shown).toMatchObject({ code: 0, stdout: "value-of-today/a b//it's\n", planned: false });
    const record = JSON.parse(
      readFileSync(join(stage.state, 'audit.jsonl'), 'utf8').trim().split('\n').at(-1) as string,
    );
    expect(record).toMatchObject({
      command: '/usr/bin/sh',
      arguments: 3,
      policy: 'defaults',
      set: ['GIVEN', 'CORDON'],
      exit: 0,
    });
    expect(record.passed).toContain('MODE');
    expect(record.dropped).toContainEqual({ name: 'SECRET', rule: 'default' });
    expect(/a b|value-of/.test(readFileSync(stage.file, 'latin1'))).toBe(false);
  });

  it('is kept where a start-up file may take in what lies below no folder', () => {
    const stage = new Stage(user);
    stage.write(
      join(stage.home, '.bashrc'),
      '# ~/note\nNVM_DIR=~/.nvm\n[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"\n',
    );
    stage.write(join(stage.home, 'note'), 'no folder\n');
    execFileSync('touch', ['-d', '1 hour ago', join(stage.home, '.bashrc'), join(stage.home, 'note')]);
    stage.untilKept();
  });

  it('is planned where a flag is not known here, a value is judged to forbid, or something is to be said', () => {
    const stage = new Stage(user);
    stage.untilKept();
    for (const flags of [['--guard', 'forbid'], ['--read', '/nowhere'], ['--credential', 'A=env:B'], ['--dry-run']]) {
      stage.env = { B: 'b' };
      expect([1, 2, 3].map(() => stage.run(flags).planned)).toEqual([true, true, true]);
    }
    stage.env = { CORDON_LOG: 'info' };
    expect(stage.run().stderr).toContain('cordon: info');
    expect(stage.run().stderr).toContain('cordon: info');
  });

  it('keeps a list of hosts that works, unless a proxy of the user stands in it or somebody is asked', () => {
    const stage = new Stage(user);
    const flags = ['--net', 'api.example.test'];
    const refused = ['sh', '-c', 'echo $HTTP_PROXY; curl -sS -m 20 http://evil.test/; ls /sys/class/net'];
    const fresh = stage.run(flags, refused);
    expect(fresh.stdout).toContain('http://127.0.0.1:17080\ncordon: evil.test:80 is not let through');
    stage.untilKept(flags);
    const { planned, ...now } = stage.run(flags, refused);
    expect([planned, now]).toEqual([false, { ...now, stdout: fresh.stdout, code: fresh.code }]);
    const password = ['pass', 'of', 'mine'].join('-');
    stage.env = { HTTPS_PROXY: `http://me:${password}@127.0.0.1:9` };
    expect([1, 2, 3].map(() => stage.run(flags, ['true']).planned)).toEqual([true, true, true]);
    for (const name of readdirSync(stage.plans))
      expect(readFileSync(join(stage.plans, name), 'latin1')).not.toContain(password);
    stage.env = {};
    expect([1, 2, 3].map(() => stage.run(['--net', 'ask'], ['true']).planned)).toEqual([true, true, true]);
  });

  it('keeps what an agent gets, and judges anew when a value changes', () => {
    const stage = new Stage(user);
    stage.write(join(stage.home, '.config/cordon/profiles/p.json'), '{"environment":{"allow_vars":["A_*"]}}');
    for (const flags of [
      ['--agent', 'codex', '--allow', 'A_B'],
      ['--profile', 'p'],
    ]) {
      stage.env = { A_B: 'harmless' };
      stage.untilKept(flags);
      expect(stage.run(flags, ['sh', '-c', 'echo $A_B'])).toMatchObject({ stdout: 'harmless\n', planned: false });
      stage.env = { A_B: ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_') };
      const judged = stage.run(flags, ['sh', '-c', 'echo $A_B']);
      expect(judged.planned).toBe(true);
      if (flags[0] === '--agent') expect(judged.stdout).toBe('\n');
      else expect(judged.stderr).toContain('looks like a credential');
    }
  });

  it('is planned when the kept plan is not only this user’s, a link, cut short or changed', () => {
    const stage = new Stage(user);
    const spoil: ((file: string) => void)[] = [
      (file) => chmodSync(file, 0o620),
      (file) => chmodSync(dirname(file), 0o770),
      (file) => linkSync(file, `${file}-too`),
      (file) => writeFileSync(file, readFileSync(file).subarray(0, 900)),
      (file) => writeFileSync(file, ''),
      (file) =>
        writeFileSync(file, readFileSync(file, 'latin1').replace('isolation auto', 'isolation filter'), 'latin1'),
      (file) => writeFileSync(file, readFileSync(file, 'latin1').replace(/^looked .*$/m, 'looked \\q'), 'latin1'),
      (file) => {
        renameSync(file, `${file}-real`);
        symlinkSync(`${file}-real`, file);
      },
      (file) => {
        renameSync(dirname(file), `${stage.state}/elsewhere`);
        symlinkSync(`${stage.state}/elsewhere`, dirname(file));
      },
      ...(user === 'root' ? [(file: string) => chownSync(file, identityOf('cordon-test').uid, 0)] : []),
    ];
    for (const act of spoil) {
      rmSync(stage.plans, { recursive: true, force: true });
      stage.untilKept();
      act(stage.file);
      expect(stage.run([], ['true']), String(act)).toMatchObject({ code: 0, planned: true, stderr: '' });
    }
  });

  it('bears the SHA-256 of what it holds', () => {
    const stage = new Stage(user);
    stage.untilKept();
    const [, digest, rest] = /^cordon-kept 1 (\w+) \w+\n(.*)$/s.exec(readFileSync(stage.file, 'latin1')) ?? [];
    expect(digest).toBe(createHash('sha256').update(String(rest), 'latin1').digest('hex'));
  });

  it('cannot be reached by a command', () => {
    const stage = new Stage(user);
    stage.untilKept();
    for (const flags of [[], ['--fs', 'all'], ['--write', '~'], ['--read', '~/.local']]) {
      const { stdout } = stage.run(flags, [
        'sh',
        '-c',
        `cat ${stage.file} || ls ${stage.plans}; echo x >${stage.file}`,
      ]);
      expect(stdout).toBe('');
      expect(readFileSync(stage.file, 'latin1')).toMatch(/^cordon-kept 1 /);
    }
  });

  it('is shown and cleared by doctor --cache', () => {
    const stage = new Stage(user);
    stage.untilKept();
    const doctor = (...flags: string[]) =>
      runInOwnAccountHome(join(stage.root, 'package/bin/cordon'), ['doctor', '--cache', ...flags], {
        user,
        home: stage.home,
      }).stdout;
    expect(doctor()).toMatch(/^kept: 1 plan of cordon run, /);
    expect(JSON.parse(doctor('--json')).plans).toHaveLength(1);
    expect(existsSync(stage.lookedThrough)).toBe(true);
    expect(doctor('--clear')).toMatch(/^removed: 1 plan /);
    expect(existsSync(stage.lookedThrough)).toBe(false);
    expect(stage.run().planned).toBe(true);
  });
});

describe.each(USERS)('what came of looking through files, as %s', (user) => {
  const HARMLESS = 'harmless-value';
  const STARTUP = `export FREE_A=1\nalias one=two\ny=${HARMLESS}\n`;

  /** Kept, and changed in a way that shows whether it is taken: nobody but the user could do that. */
  function withMark(): Stage {
    const stage = new Stage(user);
    stage.write(join(stage.home, '.bashrc'), STARTUP);
    execFileSync('touch', ['-d', '1 hour ago', join(stage.home, '.bashrc')]);
    stage.untilKept();
    expect(shown(stage)).toContain('alias one=two');
    mark(stage);
    return stage;
  }

  function mark(stage: Stage): void {
    const text = readFileSync(stage.lookedThrough, 'utf8');
    expect(text).toContain('alias one=two');
    stage.write(stage.lookedThrough, text.replace('alias one=two', 'alias one=marked'));
    chmodSync(stage.lookedThrough, 0o600);
  }

  function shown(stage: Stage, flags: readonly string[] = []): string {
    rmSync(stage.plans, { recursive: true, force: true });
    const ran = stage.run(flags, ['sh', '-c', 'cat ~/.bashrc']);
    expect(ran).toMatchObject({ code: 0, planned: true });
    return ran.stdout;
  }

  it('is taken in a folder where nothing was started before', () => {
    const stage = withMark();
    stage.cwd = freshHome(user);
    expect(shown(stage)).toBe(`FREE_A=1\nalias one=marked\ny=${HARMLESS}\n`);
  });

  it.each<[string, (stage: Stage) => void]>([
    ['a file is another', ({ home }) => appendFileSync(join(home, '.bashrc'), '# more\n')],
    ['a file is new', (stage) => stage.write(join(stage.home, '.zshenv'), 'a=1\n')],
    ['a folder is new', (stage) => stage.write(join(stage.home, '.bashrc.d/one'), 'a=1\n')],
    ['settings are others', (stage) => stage.write(join(stage.home, '.gitconfig'), '[user]\n\tname = n\n')],
    [
      'a value that is dropped stands in a file',
      (stage) => {
        stage.env = { MY_TOKEN: HARMLESS };
      },
    ],
    ['Cordon is another', ({ root }) => utimesSync(join(root, 'package/dist/cli.js'), 7, 7)],
    ['others may write it', ({ lookedThrough }) => chmodSync(lookedThrough, 0o620)],
    ['others may write its folder', ({ state }) => chmodSync(state, 0o770)],
    ['it has a second name', ({ lookedThrough }) => linkSync(lookedThrough, `${lookedThrough}-too`)],
    [
      'it is a link',
      ({ lookedThrough }) => {
        renameSync(lookedThrough, `${lookedThrough}-real`);
        symlinkSync(`${lookedThrough}-real`, lookedThrough);
      },
    ],
    [
      'it is cut short',
      ({ lookedThrough }) => writeFileSync(lookedThrough, readFileSync(lookedThrough).subarray(0, 999)),
    ],
    ['it is empty', ({ lookedThrough }) => writeFileSync(lookedThrough, '')],
  ])('is not taken where %s', (_, change) => {
    const stage = withMark();
    change(stage);
    expect(shown(stage)).toContain('alias one=two');
  });

  it('is not taken for other rules', () => {
    const stage = withMark();
    expect(shown(stage, ['--allow', 'FREE_A'])).toBe(STARTUP);
  });

  it('is not taken where a start-up file lies in the workspace', () => {
    const stage = withMark();
    stage.write(join(stage.home, '.zsh/one'), 'export FREE_A=1\n');
    execFileSync('touch', ['-d', '1 hour ago', join(stage.home, '.zsh'), join(stage.home, '.zsh/one')]);
    for (let times = 0; times < 2; times++) shown(stage);
    mark(stage);
    expect(shown(stage)).toContain('marked');
    stage.cwd = join(stage.home, '.zsh');
    expect(shown(stage)).toContain('alias one=two');
  });

  it('holds no value, and is not kept where one of the parent stands in a file', () => {
    const stage = new Stage(user);
    stage.env = { MY_TOKEN: KEY };
    stage.write(join(stage.home, '.bashrc'), `# ${KEY}\nexport FREE_A=${KEY}\n`);
    execFileSync('touch', ['-d', '1 hour ago', join(stage.home, '.bashrc')]);
    stage.untilKept();
    expect(existsSync(stage.lookedThrough)).toBe(false);
    stage.env = {};
    expect(shown(stage)).toBe('\n\n');
    expect(readFileSync(stage.lookedThrough, 'utf8')).not.toContain(KEY);
  });

  it('cannot be reached by a command', () => {
    const stage = withMark();
    for (const flags of [[], ['--fs', 'all'], ['--write', '~'], ['--read', '~/.local']]) {
      const before = readFileSync(stage.lookedThrough, 'utf8');
      const script = `cat ${stage.lookedThrough}; echo x >${stage.lookedThrough}`;
      expect(stage.run(flags, ['sh', '-c', script]).stdout).toBe('');
      if (flags.length === 0) expect(readFileSync(stage.lookedThrough, 'utf8')).toBe(before);
      expect(readFileSync(stage.lookedThrough, 'utf8')).not.toBe('x\n');
    }
  });
});

type Change = (stage: Stage, number: number) => void;

const FLAGS: readonly (readonly string[])[] = [
  [],
  ['--allow', 'FREE_*'],
  ['--deny', 'FREE_A'],
  ['--base', 'none', '--allow', 'PATH'],
  ['--fs', 'workspace'],
  ['--fs', 'all'],
  ['--read', '~/shown'],
  ['--hide', '~/hidden', '--read', '~/hidden'],
  ['--set', 'FREE_A=set'],
  ['--profile', 'outer'],
  ['--agent', 'codex'],
  ['--isolation', 'filter'],
  ['--workspace', 'aside'],
  ['--net', 'api.example.test'],
];

const KEY = ['sk', 'live', '9aB8cD7eF6gH5iJ4kL3m'].join('-');
const BASHRC = ['', 'export FREE_A=1\n', 'alias a=b\n', `# ${KEY}\n`, 'x=harmless-value\n', '. ~/more.sh\n'];
const pick = <T>(list: readonly T[], number: number) => list[number % list.length] as T;

const CHANGES: Readonly<Record<string, Change>> = {
  'a start-up file': (stage, number) => stage.write(join(stage.home, '.bashrc'), pick(BASHRC, number)),
  'a file that it takes in': (stage, number) => stage.write(join(stage.home, 'more.sh'), pick(BASHRC, number)),
  'a file that was absent': (stage, number) =>
    stage.write(join(stage.home, pick(['.zshenv', '.npmrc'], number)), `a=${number}\n`),
  'a file that goes': (stage) => rmSync(join(stage.home, '.npmrc'), { force: true }),
  'git’s settings': (stage, number) => stage.write(join(stage.home, '.gitconfig'), `[user]\n\tname = n${number}\n`),
  'a profile': (stage, number) =>
    stage.write(
      join(stage.home, '.config/cordon/profiles/outer.json'),
      JSON.stringify({ extends: ['inner'], environment: { allow_vars: pick([['FREE_B'], ['FREE_A'], []], number) } }),
    ),
  'an included profile': (stage, number) =>
    stage.write(
      join(stage.home, '.config/cordon/profiles/inner.json'),
      JSON.stringify({ environment: { deny_vars: pick([['FREE_B'], [], ['PATH']], number) } }),
    ),
  'the same size and time': (stage) => {
    const path = join(stage.home, '.bashrc');
    stage.write(path, 'export FREE_C=1\n');
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  },
  'a variable': (stage, number) => {
    stage.env = {
      ...stage.env,
      [pick(['FREE_A', 'FREE_B', 'MYKEY_TOKEN'], number)]: pick(['1', 'harmless-value', KEY], number >> 2),
    };
  },
  'no variables': (stage) => {
    stage.env = {};
  },
  'where things lie': (stage, number) => {
    stage.env = {
      ...stage.env,
      [pick(['ZDOTDIR', 'XDG_CONFIG_HOME', 'LISTED'], number)]: join(
        stage.home,
        pick(['shown', '.config', 'note'], number),
      ),
    };
  },
  'the home': (stage, number) => {
    stage.home = pick(stage.homes, number);
  },
  'the working folder': (stage, number) => {
    stage.cwd = pick([stage.work, ...stage.homes], number);
  },
  Cordon: (stage, number) => {
    const file = join(stage.root, 'package/dist', pick(['cli.js', 'quick.cjs', 'start.cjs'], number));
    if (number % 4 === 3) appendFileSync(file, '\n');
    else utimesSync(file, number, number);
  },
  'the kernel': (stage, number) => {
    stage.through = number % 2 === 0 ? [] : ['setarch', '--uname-2.6'];
  },
  nothing: () => undefined,
};

type Step = readonly [change: string, number: number, flags: readonly string[]];

function furnished(user: User): Stage {
  const stage = new Stage(user);
  for (const home of stage.homes)
    for (const name of ['note', 'shown/a', 'hidden/a']) stage.write(join(home, name), `${name}\n`);
  CHANGES['a profile']?.(stage, 0);
  CHANGES['an included profile']?.(stage, 0);
  return stage;
}

/** Kept as it is now, then changed: the next run must notice. Whether it started from what was kept. */
function holds(stage: Stage, [change, number, flags]: Step): boolean {
  for (let tries = 0; tries < 3 && stage.run(flags).planned; tries++);
  CHANGES[change]?.(stage, number);
  const { planned, ...now } = stage.run(flags);
  const { planned: _, ...fresh } = stage.runFresh(flags);
  const { planned: __, ...first } = stage.runFirst(flags);
  expect([now, first], `${change} ${number} ${flags.join(' ')}`).toEqual([fresh, fresh]);
  return !planned;
}

describe.each(USERS)('whatever changes, as %s', (user) => {
  it('a run does what a run does that is planned now', () => {
    let kept = 0;
    const step = fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), fc.nat({ max: 60 }), fc.constantFrom(...FLAGS));
    fc.assert(
      fc.property(fc.array(step, { minLength: 6, maxLength: 8 }), (steps) => {
        const stage = furnished(user);
        for (const one of steps) if (holds(stage, one)) kept++;
      }),
      { numRuns: EVERYTHING ? 12 : 2 },
    );
    expect(kept).toBeGreaterThan(1);
  }, 400_000);
});
