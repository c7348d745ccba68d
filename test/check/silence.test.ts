import { expect, it } from 'vitest';
import { brief, check } from './support.ts';

const line = (comment: string) => `services:\n  a:\n    environment:\n      - NPM_TOKEN${comment}\n`;

it.each([
  ['on the line', line(' # cordon-check: allow credential-to-container the registry is private')],
  [
    'on the line above',
    line('').replace('      -', '      # cordon-check: allow credential-to-container the registry is private\n      -'),
  ],
  [
    'above other comments',
    line('').replace(
      '      -',
      '      # cordon-check: allow credential-to-container the registry is private\n      # more\n      -',
    ),
  ],
])('a comment with a reason %s silences its rule, and the reason is kept', async (_, text) => {
  const report = await check({ 'compose.yaml': text });
  expect(report.findings).toEqual([]);
  expect(report.silenced.map(({ rule, silenced }) => [rule, silenced])).toEqual([
    ['credential-to-container', 'the registry is private'],
  ]);
});

it('in JSON with comments', async () => {
  const text =
    '{"environment": {"allow_vars": [\n  // cordon-check: allow wildcard-admits-credentials only the session token is ever set\n  "AWS_*"\n]}}';
  const report = await check({ 'p.jsonc': text });
  expect(report.findings).toEqual([]);
  expect(report.silenced).toHaveLength(1);
});

it.each([
  [
    'no reason',
    ' # cordon-check: allow credential-to-container',
    ['credential-to-container', 'silenced-without-reason'],
  ],
  [
    'no word in it',
    ' # cordon-check: allow credential-to-container -- !',
    ['credential-to-container', 'silenced-without-reason'],
  ],
  ['another rule', ' # cordon-check: allow whole-env-file it is fine', ['credential-to-container', 'silenced-nothing']],
  [
    'no such rule',
    ' # cordon-check: allow credential-to-contaner it is fine',
    ['credential-to-container', 'silenced-unknown-rule'],
  ],
  ['no rule at all', ' # cordon-check: allow', ['credential-to-container', 'silenced-unknown-rule']],
  [
    'a rule about silencing',
    ' # cordon-check: allow silenced-nothing it is fine',
    ['credential-to-container', 'silenced-unknown-rule'],
  ],
])('%s: the finding stays, and the comment is one too', async (_, comment, rules) => {
  const report = await check({ 'compose.yaml': line(comment) });
  expect(report.findings.map(({ rule }) => rule).toSorted()).toEqual(rules);
  expect(report.silenced).toEqual([]);
});

it('a comment two lines above says nothing about this line', async () => {
  const text =
    'services:\n  a:\n    # cordon-check: allow credential-to-container fine\n    environment:\n      - NPM_TOKEN\n';
  expect((await check({ 'compose.yaml': text })).findings.map(brief)).toEqual([
    '3:5 silenced-nothing',
    '5:9 credential-to-container',
  ]);
});
