import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { PageRecords } from '../../src/ui/records/index.ts';
import { LaunchRecord } from '../../src/ui/records/launches.ts';
import { readProofs } from '../../src/ui/records/proofs.ts';
import { proofText, recordLine, recordOf } from './support.ts';

const root = mkdtempSync(join(tmpdir(), 'cordon-ui-records-'));
afterAll(() => rmSync(root, { recursive: true }));

function freshState(): { folder: string; file: string } {
  const folder = mkdtempSync(join(root, 'state-'));
  return { folder, file: join(folder, 'audit.jsonl') };
}

function read(text: string | Buffer): LaunchRecord {
  const { folder, file } = freshState();
  writeFileSync(file, text);
  const record = new LaunchRecord(folder);
  record.refresh();
  return record;
}

describe('the record of launches', () => {
  it('is empty where there is none', () => {
    const record = new LaunchRecord(join(root, 'nowhere'));
    record.refresh();
    expect(record.rows).toEqual([]);
    expect(new LaunchRecord(undefined).rows).toEqual([]);
  });

  it('shows what a launch was, without arguments or values', () => {
    const record = read(recordLine(9, 1_700_000_000_000));
    expect(record.rows).toEqual([
      {
        id: '1000009-63',
        time: 1_700_000_000_000,
        command: '/usr/bin/make',
        arguments: 6,
        folder: '/home/ada/work/site',
        policy: 'profile node-dev',
        isolation: 'barrier',
        exit: 0,
        durationMs: 71_311,
        passed: 4,
        dropped: 4,
        credentials: 1,
        hostsReached: 0,
        hostsRefused: 0,
        aside: 0,
      },
    ]);
    expect(record.details('1000009-63')).toMatchObject({
      credentials: ['ANTHROPIC_API_KEY'],
      dropped: expect.arrayContaining([{ name: 'AWS_ACCESS_KEY_ID', rule: 'default' }]),
    });
  });

  it('leaves a half-written line for later, and reads only what is new', () => {
    const { folder, file } = freshState();
    const [whole, next] = [recordLine(1, 1_700_000_000_000), recordLine(2, 1_700_000_001_000)];
    writeFileSync(file, `${whole}${next.slice(0, 40)}`);
    const record = new LaunchRecord(folder);
    record.refresh();
    expect(record.rows).toHaveLength(1);
    expect(record.damaged.count).toBe(0);
    appendFileSync(file, next.slice(40));
    record.refresh();
    expect(record.rows.map(({ id }) => id)).toEqual(['1000001-7', '1000002-14']);
    expect(record.generation).toBe('1');
  });

  it('starts again when the file was rotated, and keeps the order', () => {
    const { folder, file } = freshState();
    writeFileSync(file, recordLine(1, 1_700_000_000_000));
    const record = new LaunchRecord(folder);
    record.refresh();
    renameSync(file, `${file}.1`);
    writeFileSync(file, recordLine(2, 1_700_000_001_000));
    record.refresh();
    expect(record.generation).toBe('2');
    expect(record.rows.map(({ id }) => id)).toEqual(['1000001-7', '1000002-14']);
    record.refresh();
    expect(record.generation).toBe('2');
  });

  it('takes markup, escapes and text that turns the reading order for text', () => {
    const name = `<img src=x onerror=alert(1)>\u001b[2J\u202e`;
    const record = read(recordLine(1, 1_700_000_000_000, { command: name, policy: name }));
    expect(record.rows[0]?.command).toBe('<img src=x onerror=alert(1)>\\x1b[2J\\u{202e}');
  });

  it('counts a line of ten megabytes and one that is no record, and shows the others', () => {
    const long = `{"command":"${'x'.repeat(10 << 20)}"}\n`;
    const record = read(`${long}nonsense\n[1]\n${recordLine(1, 1_700_000_000_000)}`);
    expect(record.rows).toHaveLength(1);
    expect(record.damaged.count).toBe(3);
    expect(record.damaged.lines[0]).toMatchObject({ bytes: long.length - 1 });
    expect(record.damaged.lines[0]?.head.length).toBeLessThan(400);
  });

  it('does not follow a link, and waits for no pipe', () => {
    const { folder, file } = freshState();
    const elsewhere = join(root, 'elsewhere');
    writeFileSync(elsewhere, recordLine(1, 1_700_000_000_000));
    symlinkSync(elsewhere, file);
    const record = new LaunchRecord(folder);
    record.refresh();
    expect(record.rows).toEqual([]);
  });

  it('never fails, whatever stands in the file', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record({ passed: fc.anything(), dropped: fc.anything(), exit: fc.anything(), time: fc.anything() })
        .map((one) => {
          try {
            return JSON.stringify(one) ?? '';
          } catch {
            return '';
          }
        }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const record = read(`${lines.join('\n')}\n`);
        for (const row of record.rows) {
          expect(typeof row.command).toBe('string');
          expect(Number.isFinite(row.time)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same whether it is read at once or as it grows', () => {
    const text = Buffer.from(recordOf(40, 1_700_000_000_000));
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const { folder, file } = freshState();
        const record = new LaunchRecord(folder);
        let from = 0;
        for (const to of [...cuts.toSorted((a, b) => a - b), text.length]) {
          appendFileSync(file, text.subarray(from, to));
          record.refresh();
          from = to;
        }
        expect(record.rows).toEqual(read(text).rows);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the hosts of launches', () => {
  it('are told by launch, each with how often and why', () => {
    const { folder, file } = freshState();
    const hosts = (changes: object) =>
      `${JSON.stringify({ time: 'x', launch: '1000001-7', name: 'a.example', port: 443, via: 'name', verdict: 'allowed', rule: '*.example', sent: 10, received: 20, ...changes })}\n`;
    writeFileSync(file, recordLine(1, 1_700_000_000_000));
    writeFileSync(
      join(folder, 'network.jsonl'),
      `${hosts({})}${hosts({})}${hosts({ name: '<b>\u001b[2J', verdict: 'refused', why: 'not named' })}half${'\n'}[]\n`,
    );
    const records = new PageRecords({
      env: ParentEnv.fromRecord({}),
      folders: { config: undefined, bin: undefined, state: folder },
      workdir: '/',
    });
    expect(records.launches(0).rows[0]).toMatchObject({ hostsReached: 1, hostsRefused: 1 });
    expect(records.launch('1000001-7')?.hosts).toEqual([
      { name: 'a.example:443', outcome: 'reached', reason: '*.example', count: 2, sent: 20, received: 40 },
      { name: '<b>\\x1b[2J:443', outcome: 'refused', reason: 'not named', count: 1, sent: 10, received: 20 },
    ]);
    appendFileSync(join(folder, 'network.jsonl'), hosts({ name: 'b.example' }));
    expect(records.launches(0).rows[0]).toMatchObject({ hostsReached: 2 });
  });
});

describe('the kept runs of prove', () => {
  it('are compared with the run before', () => {
    const folder = mkdtempSync(join(root, 'state-'));
    const put = (name: string, text: string) => writeFileSync(join(folder, 'prove', name), text);
    mkdirSync(join(folder, 'prove'));
    put(
      '20261114T080000000Z-1.json',
      proofText('2026-11-14', { 'files/a': ['leaked', 'leaked'], 'files/b': ['leaked', 'blocked'] }),
    );
    put(
      '20261115T080000000Z-2.json',
      proofText('2026-11-15', { 'files/a': ['leaked', 'blocked'], 'files/b': ['leaked', 'blocked'] }),
    );
    put('20261116T080000000Z-3.json', '{ half');
    put('not-ours.json', '{}');
    const { runs, shown } = readProofs(folder);
    expect(runs.map(({ date }) => date)).toEqual(['2026-11-15', '2026-11-14']);
    expect(shown?.comparedWith).toBe('2026-11-14');
    expect(shown?.probes.map(({ id, cells }) => [id, ...cells.map(({ before }) => before)])).toEqual([
      ['files/a', null, 'leaked'],
      ['files/b', null, null],
    ]);
    expect(readProofs(folder, '20261114T080000000Z-1.json').shown?.comparedWith).toBe(null);
  });

  it('are none where nothing was proven', () => {
    expect(readProofs(join(root, 'nowhere'))).toEqual({ runs: [], shown: null });
    expect(readProofs(undefined)).toEqual({ runs: [], shown: null });
  });
});
