import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { BUILDS, type Isolation, run, shim } from './support.ts';

interface Record {
  readonly id: string;
  readonly passed?: readonly string[];
  readonly dropped?: readonly { name: string; rule: string }[];
  readonly isolation: string;
  readonly exit: number | null;
  readonly duration_ms: number;
}

const read = (path: string): Record[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record);

describe.each(BUILDS)('the audit record of the %s build', (build) => {
  const audited = (
    audit: string,
    more: readonly string[] = [],
    isolation: Isolation = 'filter',
    folder = openFolder('state'),
  ) =>
    shim({
      build,
      isolation,
      lines: [`audit ${audit}`, 'audit-head {"tool":"t\\s\\xc3\\xa9"', `warn-dir ${folder}`, ...more],
    });
  const fresh = () => join(openFolder('audit'), 'audit.jsonl');

  it('tells names, rules, isolation and exit, and never a value', () => {
    const path = fresh();
    const rules = ['replace R', 'never LD_*', 'deny *TOKEN* GH_TOKEN', 'allow PATH', 'allow G*', 'set S secret-set'];
    const tool = audited(path, [...rules, 'supervise']);
    run(tool, ['-c', 'exit 7'], {
      env: {
        R: 'secret-1',
        LD_X: 'secret-2',
        X_TOKEN: 'secret-3',
        GH_TOKEN: 'secret-4',
        OTHER: 'secret-5',
        'Q"\\\xff\n': 'secret-6',
        F: '() { secret-7',
      },
    });
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
    const [record] = read(path);
    expect(record).toMatchObject({ tool: 't é', isolation: 'filter', exit: 7 });
    expect(record?.duration_ms).toBeGreaterThanOrEqual(0);
    expect([...(record?.passed ?? [])].sort()).toEqual(['GH_TOKEN', 'PATH']);
    expect(Object.fromEntries(record?.dropped?.map(({ name, rule }) => [name, rule]) ?? [])).toEqual({
      R: 'replace R',
      LD_X: 'never LD_*',
      X_TOKEN: 'deny *TOKEN*',
      OTHER: 'default',
      'Q"\\ÿ\\x0a': 'default',
      F: 'value () {',
    });
  });

  it('is one line a launch, with what was reached', () => {
    const path = fresh();
    run(audited(path, ['set A 1'], 'barrier'), ['-c', 'kill -TERM $$']);
    run(audited(path, ['supervise']), ['-c', 'exit 0']);
    run(audited(path), ['-c', 'exit 3']);
    expect(read(path)).toMatchObject([
      { isolation: 'barrier', exit: 143 },
      { isolation: 'filter', exit: 0 },
      { isolation: 'filter', exit: null },
    ]);
    expect(read(path)[0]).not.toHaveProperty('passed');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is called by the id of its plan, or by one of its own at each start', () => {
    const [given, made] = [fresh(), fresh()];
    run(audited(given, ['launch 123-4', 'supervise']), ['-c', ':']);
    run(audited(made, ['supervise']), ['-c', ':']);
    run(audited(made, ['supervise']), ['-c', ':']);
    expect(read(given)).toMatchObject([{ id: '123-4' }]);
    const ids = read(made).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => /^\d+-\d+$/.test(id))).toBe(true);
  });

  it('is put aside when it has grown large', () => {
    const path = fresh();
    writeFileSync(path, `${'x'.repeat((5 << 20) + 1)}\n`);
    run(audited(path), ['-c', 'true']);
    expect(read(path)).toHaveLength(1);
    expect(statSync(`${path}.1`).size).toBeGreaterThan(5 << 20);
  });

  it('is whole with many launches at once', () => {
    const path = fresh();
    const tool = audited(path, ['supervise', 'allow *']);
    run('/bin/sh', ['-c', 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do "$0" -c true & done; wait', tool]);
    expect(read(path)).toHaveLength(12);
  });

  const hindrances: readonly (readonly [string, () => string])[] = [
    ['its folder is not there', () => join(openFolder('audit'), 'no', 'audit')],
    ['it is a folder', () => openFolder('audit')],
    [
      'it is a named pipe that nobody reads',
      () => {
        const path = fresh();
        run('/usr/bin/mkfifo', [path]);
        return path;
      },
    ],
    ['the disk is full', () => '/dev/full'],
    [
      'it is a link',
      () => {
        const path = fresh();
        writeFileSync(`${path}.target`, '');
        symlinkSync(`${path}.target`, path);
        return path;
      },
    ],
  ];

  it.each(hindrances)('never stops a launch when %s, and that is said once a session', (_, make) => {
    const tool = audited(make(), ['supervise'], 'filter', openFolder('state'));
    const { code, stdout, stderr } = run('/usr/bin/setsid', [
      '-w',
      'sh',
      '-c',
      '"$0" -c "echo ran"; "$0" -c "exit 6"',
      tool,
    ]);
    expect({ code, stdout }).toEqual({ code: 6, stdout: 'ran\n' });
    expect(stderr.match(/the audit record could not be written/g)).toHaveLength(1);
  });
});

it('an audit folder that cannot be written is no hindrance for an ordinary user either', () => {
  const folder = openFolder('audit');
  mkdirSync(join(folder, 'closed'));
  chmodSync(join(folder, 'closed'), 0o500);
  const tool = shim({ lines: [`audit ${folder}/closed/audit`, 'audit-head {"a":1', 'supervise'] });
  expect(run(tool, ['-c', 'echo ran']).stdout).toBe('ran\n');
  rmSync(folder, { recursive: true });
});
