import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../support/project.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-peers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const MACHINE = { cpu: 'A <fine> CPU & more', cores: 2, kernel: '6.1.2-x', arch: 'x64', node: 'v20.1.0' };
const launch = (label: string, kind: string, value: number | null, more: object = {}) => {
  const spread = value === null ? {} : { low: value * 0.9, high: value * 1.1 };
  return { name: `launch: ${label}`, unit: 'ms', group: 'launch', label, kind, value, ...spread, ...more };
};
const RESULTS = {
  date: '2026-01-02',
  machine: MACHINE,
  rows: [
    { name: 'quick enough', value: 1.5, unit: 'x', goal: '<= 2', holds: true },
    { name: 'too slow', protection: 'guarded', value: 3, unit: 'x', goal: '<= 2', holds: false },
    launch('nothing', 'plain', 1),
    launch('slow & "quoted" <peer>', 'peer', 400, { version: '1.2.3' }),
    launch('slow & "quoted" <peer>, configured', 'peer', 500, { version: '1.2.3' }),
    launch('absent', 'peer', null, { note: 'not installed' }),
    launch('unable', 'peer', null, { note: 'does not start here: for a long reason' }),
    launch('Cordon: tool shim, guarded', 'own', 4),
  ],
};

function run(script: string, target: string): string {
  const input = join(folder, 'results.json');
  writeFileSync(input, JSON.stringify(RESULTS));
  execFileSync(process.execPath, [join(ROOT, 'scripts', script), input, target]);
  return readFileSync(target, 'utf8');
}

/** Throws where the text isn't well-formed; gives each element's name and attributes in order. */
function parse(path: string): [string, Record<string, string>, string][] {
  const program = `import json, sys, xml.etree.ElementTree as tree
print(json.dumps([[e.tag.split('}')[1], e.attrib, e.text or ''] for e in tree.parse(sys.argv[1]).iter()]))`;
  return JSON.parse(execFileSync('python3', ['-c', program, path], { encoding: 'utf8' }));
}

describe('the picture of the launch times', () => {
  const draw = () => {
    run('launch-time-picture.mjs', join(folder, 'picture.svg'));
    return parse(join(folder, 'picture.svg'));
  };

  test('is well-formed, with every launcher as text, the quickest first', () => {
    const texts = draw().flatMap(([tag, , text]) => (tag === 'text' ? [text] : []));
    const labels = ['nothing', 'Cordon: tool shim, guarded', 'slow & "quoted" <peer> 1.2.3', 'absent', 'unable'];
    expect(texts.filter((text) => labels.includes(text))).toEqual(labels);
    expect(texts).toEqual(
      expect.arrayContaining(['1.0 ms', '4.0 ms', '400 ms', 'not installed', 'does not start here']),
    );
    expect(texts.join()).not.toContain('configured');
  });

  test('has bars as long as the times, within its frame', () => {
    const elements = draw();
    const [[, { width: frame }]] = elements as [[string, { width: string }, string]];
    const bars = elements.flatMap(([tag, { x, width, class: kind }]) =>
      tag === 'rect' ? [{ kind, end: Number(x) + Number(width), width: Number(width) }] : [],
    );
    expect(bars.map(({ kind }) => kind)).toEqual(['other', 'own', 'other']);
    expect((bars[2]?.width ?? 0) / (bars[1]?.width ?? 0)).toBeCloseTo(100, -1);
    for (const { end } of bars) expect(end).toBeLessThan(Number(frame));
  });

  test('says everything to who cannot see it', () => {
    const [[, root], ...elements] = draw() as [[string, Record<string, string>, string]];
    expect(root).toMatchObject({ role: 'img', 'aria-labelledby': 'title desc' });
    const described = (elements as [string, Record<string, string>, string][]).find(([tag]) => tag === 'desc');
    expect(described?.[2]).toContain('slow & "quoted" <peer> 1.2.3: 400 ms; absent: not installed');
  });
});

test('the page of the benchmark gets its tables, each time anew', () => {
  const page = join(folder, 'page.md');
  writeFileSync(page, readFileSync(join(ROOT, 'docs', 'benchmark.md')));
  const filled = run('benchmark-page.mjs', page);
  expect(filled).toContain('| Cordon: tool shim, guarded | 4.00 | 3.60–4.40 | 3.00 | 1.00 × |');
  expect(filled).toContain('| slow & "quoted" <peer> (1.2.3) | 400 | 360–440 | 399 | 100 × |');
  expect(filled).toContain('| absent | not installed |');
  expect(filled).toContain('| quick enough |  | 1.50 x | <= 2 | yes |');
  expect(filled).toContain('| too slow | guarded | 3.00 x | <= 2 | **no** |');
  const { load, rows } = JSON.parse(readFileSync(join(ROOT, 'bench/cluster.json'), 'utf8'));
  expect(filled).toContain(`| before | ${load.before.seconds} | ${load.before.done} |`);
  expect(filled).toContain(`| ${rows[0].name} | ${rows[0].value.toFixed(2)} x | <= 1.5 | yes |`);
  expect(run('benchmark-page.mjs', page)).toBe(filled);
});

describe('what Cordon is compared with', () => {
  interface Peer {
    readonly id: string;
    readonly title: string;
    readonly program?: string;
    readonly version: readonly string[];
    readonly default: readonly string[];
    readonly configured: readonly string[];
    readonly needs: string;
    readonly note: string;
  }

  interface Told {
    readonly peers: readonly Peer[];
    readonly files: readonly string[];
    readonly variables: readonly string[];
    readonly lines: Record<string, { readonly default?: string; readonly configured?: string }>;
  }

  /** In a process of its own, with these programs on PATH and no others. */
  function told(programs: readonly string[]): Told {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const name of programs) writeFileSync(join(bin, name), '#!/bin/sh\nprintf "<%s>" "$@"\n', { mode: 0o755 });
    const script = `
      const { PEERS, CREDENTIAL_FILES, CREDENTIAL_VARIABLES } = await import('${ROOT}/bench/peers.mjs');
      const { lineOf } = await import('${ROOT}/bench/peers/prefix.mjs');
      const lines = PEERS.map((peer) => [peer.id, { default: lineOf(peer, 'default'), configured: lineOf(peer, 'configured') }]);
      console.log(JSON.stringify({ peers: PEERS, files: CREDENTIAL_FILES, variables: CREDENTIAL_VARIABLES, lines: Object.fromEntries(lines) }));`;
    const env = { PATH: bin, CORDON_PEERS: folder, HOME: folder };
    const args = ['--input-type=module', '-e', script];
    return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
  }

  const ALL = ['env', 'bwrap', 'firejail', 'srt', 'codex'];

  test('has everything that the benchmark and the comparison need', () => {
    const { peers } = told(ALL);
    expect(peers.map(({ id }) => id)).toEqual(['nothing', ...ALL]);
    for (const { id, title, program, version, needs, note, ...peer } of peers) {
      expect([title, needs, note].filter((text) => text.length > 0)).toHaveLength(3);
      expect(program === undefined).toBe(id === 'nothing');
      if (program === undefined) continue;
      expect(version).not.toEqual([]);
      expect(peer.configured).not.toEqual(peer.default);
    }
  });

  test('srt gets the same credentials to deny as the others', () => {
    const { files, variables } = told(ALL);
    const settings = JSON.parse(readFileSync(join(ROOT, 'bench/peers/srt-settings.json'), 'utf8'));
    expect(settings.filesystem.denyRead).toEqual(files.map((path) => `~/${path}`));
    expect(settings.credentials.envVars).toEqual(variables.map((name) => ({ name, mode: 'deny' })));
  });

  test('a line for the shell gives the program its words, with the home and folder of whoever runs it', () => {
    const { lines, files } = told(ALL);
    const env = { PATH: `${folder}/bin:/usr/bin:/bin`, HOME: '/home of mine' };
    const output = (line = '') =>
      spawnSync('/bin/sh', ['-c', `exec ${line} "$@"`, 'sh', 'a b'], { env, cwd: '/usr', encoding: 'utf8' }).stdout;
    expect(lines.nothing).toEqual({ default: '', configured: '' });
    expect(output(lines.bwrap?.configured)).toContain('<--tmpfs></home of mine><--bind></usr></usr>');
    expect(output(lines.bwrap?.configured)).toMatch(/<--><a b>$/);
    for (const path of files) expect(output(lines.codex?.configured)).toContain(`"~/${path}"="deny"`);
  });

  test('what is not installed has no line', () => {
    const { lines } = told(['env', 'bwrap']);
    expect(lines.bwrap?.default).toMatch(/bwrap --bind/);
    expect(lines.firejail).toEqual({});
  });
});
