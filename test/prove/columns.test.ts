import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, runCordon } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS, type User } from '../support/users.ts';
import { only, proof, SOME, told } from './support.ts';

const [ENVIRON, KEYS, SSH, LOOPBACK] = SOME;

/** A launcher of the test's own. */
function script(text: string): string {
  const path = join(openFolder('under'), 'launcher');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

function fileIn(home: string, user: User, name: string, text: string): void {
  const path = join(home, name);
  const { uid, gid } = identityOf(user);
  for (const folder of ['.config', '.config/cordon', '.config/cordon/profiles']) {
    mkdirSync(join(home, folder), { recursive: true });
    chownSync(join(home, folder), uid, gid);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  chownSync(path, uid, gid);
}

describe.each(USERS)('as %s', (user) => {
  it('the default policy holds what it promises, and what it does not promise is open', () => {
    const report = proof(only(...SOME), { user });
    expect(report.code).toBe(0);
    expect([ENVIRON, KEYS, SSH].map((id) => told(report, id))).toEqual(['blocked', 'blocked', 'blocked']);
    expect(told(report, LOOPBACK)).toBe('open: not promised: the network is on');
    expect(SOME.map((id) => told(report, id, 'nothing'))).toEqual(['leaked', 'leaked', 'leaked', 'leaked']);
  });

  it('a list of hosts lets nothing out but to them', () => {
    const ids = ['named-sni', 'named-question', 'echo-request', 'exit-tcp'].map((name) => `network/${name}`);
    const report = proof(['--net', 'other.example.test', ...only(...ids)], { user });
    expect(ids.map((id) => told(report, id, 'nothing'))).toEqual(ids.map(() => 'leaked'));
    expect(ids.map((id) => told(report, id))).toEqual(ids.map(() => 'blocked'));
  });

  it('env -i leaks what it is known to leak', () => {
    const report = proof(['--under', 'env -i', ...only(...SOME)], { user });
    expect(SOME.map((id) => told(report, id, 'env -i'))).toEqual(['leaked', 'blocked', 'leaked', 'leaked']);
    expect(report.launchers.at(-1)).toMatchObject({
      title: 'env -i',
      kind: 'other',
      version: expect.stringMatching(/\d/),
    });
    expect(report.code).toBe(0);
  });

  it('the filter leaves processes and files open', () => {
    const report = proof(['--isolation', 'filter', ...only(...SOME)], { user });
    const why = 'open: not promised: isolation filter: there is no barrier';
    expect([ENVIRON, KEYS, SSH].map((id) => told(report, id))).toEqual([why, 'blocked', why]);
    expect(report.code).toBe(0);
    expect(report.promises).toMatchObject({ environment: { held: true }, processes: { held: false } });
  });

  it('a stronger policy promises more', () => {
    const report = proof(['--fs', 'workspace', '--net', 'off', ...only(...SOME)], { user });
    expect(SOME.map((id) => told(report, id))).toEqual(['blocked', 'blocked', 'blocked', 'blocked']);
    expect(Object.values(report.promises).filter(({ held }) => !held)).toHaveLength(1);
  });

  it('what a flag lets through is open by that flag', () => {
    const home = freshHome(user);
    const flags = ['--allow', 'XYZ', '--allow', 'AWS_*', '--expose', `${home}/.ssh`, '--expose', '/srv'];
    const report = proof([...flags, ...only(KEYS, SSH)], { user, home });
    expect(told(report, KEYS)).toBe('open: let through by the policy: allow AWS_* (flag --allow)');
    expect(told(report, SSH)).toBe('open: let through by the policy: expose ~/.ssh');
    expect(report.code).toBe(0);
    expect(report.launchers[1]?.flags).toBe(`--allow XYZ --allow 'AWS_*' --expose ${home}/.ssh --expose /srv`);
  });

  it('what a profile lets through is open by its line', () => {
    const home = freshHome(user);
    const text =
      '{"environment": {"allow_vars": ["PATH", "HOME",\n  "AWS_*"]}, "filesystem": {"preset": "guarded", "expose": ["~/.ssh"]}}';
    fileIn(home, user, '.config/cordon/profiles/web.json', text);
    const report = proof(['--profile', 'web', ...only(ENVIRON, KEYS, SSH)], { user, home });
    expect(told(report, ENVIRON)).toBe('blocked');
    expect(told(report, KEYS)).toMatch(/^open: let through by the policy: allow AWS_\* \(.*web\.json:2:3\)$/);
    expect(told(report, SSH)).toBe('open: let through by the policy: expose ~/.ssh');
  });

  it('an agent gets its own key, and that is said', () => {
    const report = proof(['--agent', 'claude', ...only(ENVIRON, 'environment/model-keys', SSH)], { user });
    expect([ENVIRON, SSH].map((id) => told(report, id))).toEqual(['blocked', 'blocked']);
    expect(told(report, 'environment/model-keys')).toBe(
      'open: let through by the policy: allow ANTHROPIC_API_KEY (adapter claude)',
    );
  });

  it('a tool is tried through its shim', () => {
    const home = freshHome(user);
    const tool = (...words: readonly string[]) => expect(runCordon(['tool', ...words], { user, home }).code).toBe(0);
    tool('config', 'ls', 'env', 'base', 'os-common');
    const few = only(ENVIRON, KEYS, SSH, 'kernel/shared-memory', 'refill/login-shell');
    const plain = proof(['--tool', 'ls', ...few], { user, home });
    expect([ENVIRON, KEYS].map((id) => told(plain, id))).toEqual(['blocked', 'blocked']);
    expect(told(plain, SSH)).toBe('open: not promised: filesystem preset all');
    expect(told(plain, 'kernel/shared-memory')).toMatch(
      /^open: not promised: with an env policy alone a shim shares IPC/,
    );
    expect(plain.code).toBe(0);
    tool('config', 'ls', 'fs', 'base', 'guarded');
    tool('config', 'ls', 'env', 'allow', 'AWS_*');
    const guarded = proof(['--tool', 'ls', ...few], { user, home });
    const held = ['kernel/shared-memory', SSH, 'refill/login-shell'];
    expect(held.map((id) => told(guarded, id))).toEqual(['blocked', 'blocked', 'blocked']);
    expect(told(guarded, KEYS)).toMatch(/^open: let through by the policy: allow AWS_\* \(.*cordon\.toml:\d+:\d+\)$/);
    expect(guarded.code).toBe(0);
  });

  it('a launcher that fails is not applicable, in its own words made safe to show', () => {
    const failing = script(`printf 'no \\033[31mway\\n\\n' >&2; exit 3`);
    const report = proof(['--under', failing, '--under', 'false', ...only(ENVIRON)], { user });
    expect(told(report, ENVIRON, failing)).toBe('not applicable: no \\x1b[31mway');
    expect(told(report, ENVIRON, 'false')).toBe('not applicable: ended with exit code 1 before the probe was done');
  });

  it('a policy under which nothing can be tried proves nothing', () => {
    const report = proof(['--fs', 'guarded', '--isolation', 'filter', ...only(ENVIRON)], { user });
    expect(told(report, ENVIRON)).toMatch(/^not applicable: cordon: isolation filter cannot hold this/);
    expect([report.verdict, report.code]).toEqual(['unproven', 125]);
  });

  it('when time is up the rest was not tried, which is no proof', () => {
    const slow = script('sleep 600');
    const report = proof(['--under', slow, '--timeout', '3', ...only('processes')], { user });
    expect([report.complete, report.verdict, report.code]).toEqual([false, 'unproven', 125]);
    expect(told(report, ENVIRON, slow)).toBe('not applicable: not tried: there was no time left');
  });
});
