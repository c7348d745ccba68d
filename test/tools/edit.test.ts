import fc from 'fast-check';
import { parseTOML } from 'toml-eslint-parser';
import { describe, expect, test } from 'vitest';
import { TomlEditor } from '../../src/tools/config/edit.ts';
import { parseConfig } from '../../src/tools/config/read.ts';

const at = (...keys: string[]) => ['tools', 'ruff', ...keys];
const commentsOf = (text: string) => parseTOML(text).comments.map(({ value }) => value);

function edited(text: string, edit: (editor: TomlEditor) => void): string {
  const editor = new TomlEditor(text, 'cordon.toml');
  edit(editor);
  return editor.text;
}

const ODD = `# the head of the file

title-like."quoted key" = 1   # a number
[agents.mine]
  binary = '/opt/x' # not ours

[tools.ruff]   # lint
  env_base   =   "os-common"     # wide gaps
  env_allow = [  "A",   # first
     # between
     'B' ,
       "C"   # last
  ]   # after

# about black
[ tools . "black" ]
env_allow=["X",]
`;

describe('one edit changes one thing', () => {
  test('a value keeps its gaps and its comment', () => {
    const text = edited(ODD, (editor) => editor.setText(at('env_base'), 'none'));
    expect(text).toBe(ODD.replace('"os-common"', '"none"'));
  });

  test('a list on several lines grows by lines, and the comma goes before the comment', () => {
    const text = edited(ODD, (editor) => editor.addItems(at('env_allow'), ['B', 'D']));
    expect(text).toBe(ODD.replace('"C"   # last\n', '"C",   # last\n       "D"\n'));
  });

  test('a list on one line grows there and keeps its last comma', () => {
    const text = edited(ODD, (editor) => editor.addItems(['tools', 'black', 'env_allow'], ['Y']));
    expect(text).toBe(ODD.replace('["X",]', '["X", "Y",]'));
  });

  test('a new key comes after the last one of its table, indented like it', () => {
    const text = edited(ODD, (editor) => editor.setText(at('fs_base'), 'guarded'));
    expect(text).toBe(ODD.replace('  ]   # after\n', '  ]   # after\n  fs_base = "guarded"\n'));
  });

  test('a new section is appended', () => {
    const text = edited(ODD, (editor) => editor.ensureEntry(at('env_deny', '*TOKEN*')));
    expect(text).toBe(`${ODD}\n[tools.ruff.env_deny]\n"*TOKEN*" = {}\n`);
  });

  test('a removed key leaves its comments in their lines', () => {
    const text = edited(ODD, (editor) => editor.remove(at('env_allow')));
    expect(text).not.toContain('env_allow = [  "A"');
    expect(commentsOf(text)).toEqual(commentsOf(ODD));
  });

  test('what is there already changes nothing', () => {
    const same = edited(ODD, (editor) => {
      editor.ensureTable(at());
      editor.addItems(at('env_allow'), ['A', 'B', 'C']);
      editor.setText(at('env_base'), 'os-common');
      editor.remove(at('env_deny'));
    });
    expect(same).toBe(ODD);
  });

  test('Windows line ends and a missing last line end stay as they are', () => {
    const text = edited('a = 1\r\n[tools.ruff]\r\nenv_allow = [\r\n  "A"\r\n]', (editor) =>
      editor.addItems(at('env_allow'), ['B']),
    );
    expect(text).toBe('a = 1\r\n[tools.ruff]\r\nenv_allow = [\r\n  "A",\r\n  "B"\r\n]');
  });
});

/** Every way in which TOML lets one write the same two lists and one table. */
/** Tables that the editor must leave alone, though no cordon.toml has them. */
const OTHERS = '[[other]]\nx = 1 # first\n[[other]]\nx = """\n# no comment\n"""\n';

const STYLES = [
  '',
  '# nothing yet\n',
  '[tools]\n',
  'tools = {}\n',
  'tools = { ruff = { env_base = "all" } } # inline\n',
  'tools.ruff.env_base = "all" # dotted\n',
  'tools.ruff.env_deny."*X*" = {}\n',
  '[tools]\nruff = { env_deny = { "*X*" = { except = ["XY"] } } } # in a table\n',
  '[tools]\nruff.env_base = "none"\n[tools.ruff.env_deny."*X*"] # header for a pattern\nexcept = [] # empty\n',
  '[tools.ruff.env_deny]\n"*X*" = {}\n[tools.other]\n',
  '[tools.ruff]\nenv_allow = [ # only a comment\n]\n',
  '[tools.ruff]\nenv_allow = [\n  "A" # a\n  , "B"\n]\n',
  "[tools.'ruff']\n\tenv_allow = ['A']\n\n\n# end",
  `${OTHERS}[tools.ruff]\n`,
];

const pattern = fc.stringMatching(/^[A-Z*_]{1,8}$/);
const change = fc.oneof(
  fc.record({ do: fc.constant('base' as const), value: fc.constantFrom('all', 'none', 'os-common') }),
  fc.record({ do: fc.constant('allow' as const), patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    do: fc.constant('deny' as const),
    patterns: fc.array(pattern, { minLength: 1, maxLength: 3 }),
    except: fc.array(pattern, { maxLength: 2 }),
  }),
  fc.record({ do: fc.constant('reset' as const) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

interface Model {
  base: string;
  allow: string[];
  deny: Record<string, string[]>;
}

const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];

function modelled(model: Model, step: Change): Model {
  switch (step.do) {
    case 'base':
      return { ...model, base: step.value };
    case 'allow':
      return { ...model, allow: union(model.allow, step.patterns) };
    case 'deny':
      return {
        ...model,
        deny: {
          ...model.deny,
          ...Object.fromEntries(step.patterns.map((one) => [one, union(model.deny[one] ?? [], step.except)])),
        },
      };
    case 'reset':
      return { base: 'all', allow: [], deny: {} };
  }
}

function perform(editor: TomlEditor, step: Change): void {
  if (step.do === 'base') editor.setText(at('env_base'), step.value);
  if (step.do === 'allow') editor.addItems(at('env_allow'), step.patterns);
  if (step.do === 'reset') for (const key of ['env_base', 'env_allow', 'env_deny']) editor.remove(at(key));
  if (step.do !== 'deny') return;
  for (const one of step.patterns) {
    editor.ensureEntry(at('env_deny', one));
    editor.addItems(at('env_deny', one, 'except'), step.except);
  }
}

function read(text: string): Model {
  const known = text.replace(OTHERS, '');
  const tool = parseConfig('cordon.toml', known).tools.get('ruff');
  return {
    base: tool?.base.preset ?? 'all',
    allow: tool?.allow.map(({ pattern: { source } }) => source) ?? [],
    deny: Object.fromEntries(
      tool?.deny.map(({ pattern: { source }, except }) => [source, except.map((one) => one.source)]) ?? [],
    ),
  };
}

test('any edits, in any style of file: the policy is what was asked for, and every comment is where it was', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STYLES), fc.array(change, { minLength: 1, maxLength: 6 }), (start, steps) => {
      const text = edited(start, (editor) => {
        for (const step of steps) perform(editor, step);
      });
      expect(read(text)).toEqual(steps.reduce(modelled, read(start)));
      expect(commentsOf(text)).toEqual(commentsOf(start));
    }),
    { numRuns: 2000 },
  );
});

test('lines of others are never touched', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (steps) => {
      const others = '# x\n[agents.a]   # y\n  k = [ 1,2 ,3]\n\n[roles.b]\nv = """\n  [tools.ruff]\n"""\n';
      const text = edited(`${others}[tools.ruff]\n`, (editor) => {
        for (const step of steps) perform(editor, step);
      });
      expect(text.startsWith(others)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('many patterns are added quickly', () => {
  const many = Array.from({ length: 200 }, (_, i) => `PATTERN_${i}_*`);
  const started = performance.now();
  const text = edited('', (editor) => {
    editor.ensureTable(at());
    for (const one of many) editor.ensureEntry(at('env_deny', one));
  });
  expect(Object.keys(read(text).deny)).toEqual(many);
  expect(performance.now() - started).toBeLessThan(10_000);
});
