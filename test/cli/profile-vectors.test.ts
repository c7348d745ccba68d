import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordonProgram } from '../support/cordon.ts';
import { casesFor, type VectorCase } from '../vectors/cases.ts';

function writeHome({ policy }: VectorCase, extension: string): string {
  const home = mkdtempSync(join(tmpdir(), 'cordon-vector-'));
  mkdirSync(join(home, 'profiles'), { mode: 0o700 });
  for (const [name, profile] of Object.entries({ t: policy.profile, ...policy.bases })) {
    writeFileSync(join(home, 'profiles', `${name}.${extension}`), JSON.stringify(profile), { mode: 0o600 });
  }
  return home;
}

/** The parent has exactly these variables, and where Cordon's home is. */
function cordon(home: string, host: VectorCase['host'], ...args: string[]) {
  const env = { ...host, CORDON_HOME: home };
  return spawnSync(cordonProgram(), args, { cwd: home, env, encoding: 'utf8' });
}

function envOf(output: string): Record<string, string> {
  const pairs = output.split('\n').filter((line) => line.includes('='));
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe.each(['json', 'yaml'])('the cases for profiles, as %s, through the program itself', (extension) => {
  test.each(casesFor('profile').map((one): [string, VectorCase] => [one.id, one]))('%s', (_, one) => {
    const home = writeHome(one, extension);
    const { status, stdout, stderr } = cordon(
      home,
      one.host,
      'run',
      '--profile',
      't',
      '--isolation',
      'filter',
      '--',
      '/usr/bin/env',
    );
    if (one.expect.error !== undefined) {
      expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
      expect(stderr.includes('no credential for OPENAI_API_KEY')).toBe(one.expect.error === 'credential');
      expect(stderr).toMatch(/^cordon: .*\/profiles\/\w+\.\w+/m);
      return;
    }
    expect(status, stderr).toBe(0);
    expect(envOf(stdout)).toEqual(one.expect.env);
    if (one.expect.allow !== undefined) {
      const shown = cordon(home, one.host, 'profile', 'show', 't', '--json');
      expect(JSON.parse(shown.stdout).allow).toEqual(one.expect.allow);
    }
  });
});

test('there are cases', () => expect(casesFor('profile').length).toBeGreaterThan(15));
