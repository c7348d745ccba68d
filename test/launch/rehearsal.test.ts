import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { prepare } from '../../src/launch/prepare.ts';
import { planText } from '../../src/plan/plan.ts';
import { DEFAULT_POLICY, type FsPreset } from '../../src/policy/policy.ts';

function rehearse(home: string, preset: FsPreset = 'guarded', more: Record<string, string> = {}) {
  return prepare({
    policy: { ...DEFAULT_POLICY, filesystem: { ...DEFAULT_POLICY.filesystem, preset, read: ['/nonexistent/x'] } },
    env: ParentEnv.fromRecord({ HOME: home, PATH: '/usr/bin:/bin', ...more }),
    argv: [bytesOfText('true')],
    workdir: '/',
    record: false,
    rehearsal: true,
  });
}

const everything = (folder: string) => readdirSync(folder, { recursive: true }).toSorted();

describe('a rehearsal', () => {
  it.each(['all', 'guarded', 'workspace', 'minimal'] as const)('makes nothing anywhere, preset %s', (preset) => {
    const home = mkdtempSync(join(tmpdir(), 'cordon-rehearsal-'));
    rehearse(home, preset);
    rehearse(home, preset, { CORDON_HOME: join(home, 'own') });
    expect(everything(home)).toEqual([]);
  });

  it('works where nothing can be made', () => {
    expect(planText(rehearse('/proc/1/nothing').plan, 'hidden')).toContain('\nhome /proc/1/nothing\n');
  });

  it('tells of paths that are not there, and what becomes of them', () => {
    const { warnings, plan } = rehearse('/nonexistent');
    expect(warnings).toContain('/nonexistent/x is not there');
    expect(planText(plan, 'hidden')).toContain('\ntry-read /nonexistent/x\n');
  });

  it('has an .npmrc without its tokens, and shows no text of it to people', () => {
    const home = mkdtempSync(join(tmpdir(), 'cordon-rehearsal-'));
    mkdirSync(join(home, 'x'));
    writeFileSync(join(home, '.npmrc'), '@corp:registry=https://npm.corp/\n//npm.corp/:_authToken=npm_abc\n');
    const { plan } = rehearse(home);
    expect(planText(plan, 'with-values')).toContain(`\ndata ${home}/.npmrc @corp:registry=https://npm.corp/\\n\n`);
    expect(planText(plan, 'hidden')).toContain(`\ndata ${home}/.npmrc ***\n`);
  });
});
