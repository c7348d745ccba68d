import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types, as scripts are.
import { wrapped } from '../../scripts/lib/wrap.mjs';
import { reportAsJson } from '../../src/check/report/json.ts';
import { reportAsSarif } from '../../src/check/report/sarif.ts';
import { RULES } from '../../src/check/rules.ts';
import { reportAsText } from '../../src/cli/commands/check.ts';
import { ROOT } from '../support/project.ts';
import { check } from './support.ts';

// Draft 4, of which it uses nothing that the later drafts read otherwise, save these two keys.
const require = createRequire(import.meta.url);
const sarif = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as Record<string, unknown>;
const { $schema: _, id: __, ...schema } = sarif;
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(
  schema,
);
const OPTIONS = { version: '1.2.3', workdir: '/here' };

interface Sarif {
  runs: [
    {
      invocations: [{ executionSuccessful: boolean; toolExecutionNotifications: { message: { text: string } }[] }];
      results: {
        ruleId: string;
        level: string;
        suppressions: { justification: string }[];
        locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: object } }];
      }[];
    },
  ];
}

describe('SARIF', () => {
  it('is valid by its schema: findings, silenced ones, files that could not be checked', async () => {
    const report = await check({
      'a b/compose.yaml':
        'services:\n  a:\n    environment:\n      - NPM_TOKEN\n      - GH_TOKEN # cordon-check: allow credential-to-container it is scoped\n',
      'broken.json': '{',
      'secrets.yaml': 'sandboxed_envs:\n  PATH: "x"\n',
    });
    const sarif = reportAsSarif(report, OPTIONS) as Sarif;
    expect(validate(sarif), JSON.stringify(validate.errors)).toBe(true);
    const [{ results, invocations }] = sarif.runs;
    expect(results.map(({ ruleId, level, suppressions }) => [ruleId, level, suppressions.length])).toEqual([
      ['credential-to-container', 'warning', 0],
      ['secrets-bad-name', 'error', 0],
      ['credential-to-container', 'warning', 1],
    ]);
    expect(results[2]?.suppressions[0]?.justification).toBe('it is scoped');
    expect(results[0]?.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'a%20b/compose.yaml', uriBaseId: 'SRCROOT' },
      region: { startLine: 4, startColumn: 9, endLine: 4, endColumn: 18 },
    });
    expect(invocations[0].executionSuccessful).toBe(false);
    expect(invocations[0].toolExecutionNotifications).toHaveLength(1);
  });

  it('is valid without any file, and the schema can tell what is not', () => {
    const empty = reportAsSarif({ files: [], findings: [], silenced: [], troubles: [] }, OPTIONS) as { runs: object[] };
    expect(validate(empty), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...empty, runs: [{ ...empty.runs[0], results: [{ level: 'fatal' }] }] })).toBe(false);
  });
});

it('no part of a value is in a report of any format', async () => {
  const value = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/);
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const report = await check({
        'p.json': JSON.stringify({ environment: { set_vars: { API_TOKEN: text, URL: `https://bob:${text}@x.y/` } } }),
        'compose.yaml': `services:\n  a:\n    environment:\n      - DB_PASSWORD=${text}\n      - ${text}\n`,
        Dockerfile: `ENV SECRET=${text}\nRUN curl -u bob:${text} http://x\n`,
        '.env.example': `X_SECRET=${text}\n`,
        'secrets.yaml': `sandboxed_envs:\n  A: "${text}"\n  PATH: "${text}"\n  B: ["${text}"]\n`,
        'broken.yaml': `a: "${text}\nb: ${text}: ${text}\n`,
        'broken.toml': `a = ${text}`,
        'broken.json': `{"API_KEY": "${text}" ${text}}`,
      });
      const told = JSON.stringify([
        reportAsJson(report),
        reportAsSarif(report, OPTIONS),
        reportAsText(report, { colour: { out: true, err: true } }),
      ]);
      expect(report.findings.length).toBeGreaterThan(5);
      for (let i = 0; i + 8 <= text.length; i++) expect(told).not.toContain(text.slice(i, i + 8));
    }),
    { numRuns: 25 },
  );
});

it('docs/check.md shows the rules as they are', () => {
  const told = Object.entries(RULES).map(([id, { severity, title, why, fix }]) =>
    [`**\`${id}\`** (${severity}): ${title}.`, `Why: ${why}.`, `Fix: ${fix}.`].map((text, i) =>
      wrapped(text, i === 0 ? '- ' : '  '),
    ),
  );
  expect(readFileSync(join(ROOT, 'docs/check.md'), 'utf8')).toContain(`## Rules\n${told.flat().join('\n')}\n`);
});

it('text without a terminal has no colours, and lines up', async () => {
  const report = await check({ 'compose.yaml': 'services:\n  a:\n    env_file: x\n    environment: [NPM_TOKEN]\n' });
  const text = reportAsText(report, { colour: { out: false, err: false } });
  expect(text).toMatch(/^compose\.yaml\n {2}3:15 {2}warning {2}whole-env-file {11}x goes/);
  expect(text).toMatch(/\n {2}4:19 {2}warning {2}credential-to-container {2}NPM_TOKEN goes/);
  expect(text).toMatch(/\n1 file: 2 warnings\n$/);
});

it('hostile text takes no time', async () => {
  const pieces = ['"${', 'a=', '${{ secrets.', 'eyJ', '\\"', "'", '<<E ', '# cordon-check: allow ', '://a:', '$('];
  // Of the processor: others may be using the machine.
  const started = process.cpuUsage();
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(250_000 / piece.length));
    await check({
      Dockerfile: `RUN ${text}\nENV A=1 ${text}!\n`,
      '.env.example': `A=${text}\n`,
      'allowlist.txt': text,
    });
    await check({ '.github/workflows/a.yml': `jobs: {a: {steps: [{run: ${JSON.stringify(text)}}]}}\n` });
  }
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(20_000);
});
