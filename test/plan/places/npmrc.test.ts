import { describe, expect, it } from 'vitest';
import { npmrcWithoutTokens } from '../../../src/plan/places/npmrc.ts';

const KEPT = [
  'registry=https://registry.example.com/',
  '@corp:registry=https://npm.corp.example/',
  'ignore-scripts=true',
  'cafile=/etc/corp.pem',
  'prefix=~/.npm-global',
  '; a word about registries',
  ['//npm.corp.example/:_authToken=$', '{NPM_TOKEN}'].join(''),
  '',
];
const LOST = [
  '//registry.npmjs.org/:_authToken=npm_abcdef',
  '_auth = dTpw',
  '_authToken=npm_x',
  '_password="cHc="',
  'username=ada',
  '//host/:certfile=/x.pem',
  'proxy=http://ada:pw@proxy:3128/',
  '# //registry.npmjs.org/:_authToken=npm_old',
  'key="-----BEGIN PRIVATE KEY-----\\nabc"',
  '@corp:_authToken=x',
];

describe('an .npmrc without its log-ins', () => {
  it.each(KEPT)('keeps %s', (line) => expect(npmrcWithoutTokens(line)).toBe(line));
  it.each(LOST)('loses %s', (line) => expect(npmrcWithoutTokens(line)).toBe(''));
  it('keeps the order of the rest', () => {
    expect(
      npmrcWithoutTokens(KEPT.flatMap((line, i) => [line, LOST[i] ?? '#']).join('\n'))
        .split('\n')
        .filter((line) => line !== '#'),
    ).toEqual(KEPT);
  });
});
