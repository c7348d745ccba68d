import { chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogInName } from '../../src/policy/log-ins.ts';
import { cordon, recordsOf } from '../network/support.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS } from '../support/users.ts';
import {
  AGENTS,
  FILES,
  fileNow,
  fileOf,
  type LogInScene,
  logInScene,
  program,
  realTokens,
  saidBy,
  shownAtTerminal,
  TOKENS,
  tokensNow,
  vendorOf,
} from './log-in-scene.ts';

/** From outside, as the end of a terminal or of a job would. */
function endAgentOf({ file }: LogInScene): void {
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      if (words[1] === '/tmp/agent.mjs' && words[2] === file) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

describe.each(USERS)('as %s', (user) => {
  describe.each(AGENTS)('the log-in of %s', (agent) => {
    test('is used and renewed by the command, which never has it, and the new one is in its file', async () => {
      const vendor = await vendorOf(agent);
      const scene = logInScene(user, agent, program(agent));
      const ran = await cordon(scene, scene.args(vendor), scene.env);
      const [first, used, renewed, usedAgain, last] = saidBy(ran.stdout);
      const all = ran.stdout + ran.stderr;
      expect([used?.used, renewed?.renewed, usedAgain?.used], all).toEqual([200, 200, 200]);
      for (const token of realTokens(agent)) expect(all).not.toContain(token);
      expect(all).not.toContain('token-of-another-service');
      // Each request had the token that was good then.
      const { access_token: old } = TOKENS[agent](0);
      const { access_token: now } = TOKENS[agent](1);
      expect(vendor.seen.map(({ authorization }) => authorization)).toEqual([
        `Bearer ${old}`,
        undefined,
        `Bearer ${now}`,
      ]);
      expect(vendor.reused).toEqual([]);
      // The file outside: new tokens, all else as it was, its mode too.
      expect(tokensNow(scene)).toMatchObject({
        access_token: TOKENS[agent](1).access_token,
        refresh_token: TOKENS[agent](1).refresh_token,
      });
      expect(statSync(scene.file).mode & 0o777).toBe(0o600);
      expect(statSync(scene.file).uid).toBe(identityOf(user).uid);
      expect(JSON.stringify(fileNow(scene)).includes('token-of-another-service')).toBe(agent !== 'gemini');
      expect(readFileSync(scene.file, 'utf8').includes('\n')).toBe(agent !== 'claude');
      // The command wrote its own file, with placeholders, which is not the one outside.
      expect(JSON.parse(last.file)).not.toEqual(JSON.parse(first.file));
      expect(recordsOf(scene).map(({ rule, verdict }) => [rule, verdict])).toContainEqual(['renewed', 'allowed']);
      const audit = readFileSync(join(scene.home, '.local/state/cordon/audit.jsonl'), 'utf8');
      expect(audit).toContain(`"brokered":["log-in:${agent}"]`);
      expect(audit + JSON.stringify(recordsOf(scene))).not.toContain(TOKENS[agent](1).refresh_token);
      // The next launch begins with what this one left.
      const again = await cordon(scene, scene.args(vendor), scene.env);
      expect(
        saidBy(again.stdout).map(({ used, renewed }) => used ?? renewed),
        again.stderr,
      ).toEqual([undefined, 200, 200, 200, undefined]);
      expect(vendor.reused).toEqual([]);
      expect(vendor.number()).toBe(2);
    });
  });
});

test('cordon agent run claude --broker does the same', async () => {
  const vendor = await vendorOf('claude');
  const scene = logInScene('cordon-test', 'claude', program('claude').replace('\nexec', '\nset --\nexec'));
  const args = ['agent', 'run', 'claude', '--broker', ...scene.net(vendor), '--json', 'say hello'];
  const ran = await cordon(scene, args, scene.env);
  expect(saidBy(ran.stdout).find((said) => 'renewed' in said)?.renewed, ran.stderr).toBe(200);
  for (const token of realTokens('claude')) expect(ran.stdout + ran.stderr).not.toContain(token);
  expect(tokensNow(scene)).toEqual(TOKENS.claude(1));
});

describe('what the command finds', () => {
  test('are placeholders in the shapes of the tokens, with what else an agent reads in them', async () => {
    const shown = async (agent: LogInName) => {
      const scene = logInScene('cordon-test', agent, `#!/bin/sh\ncat "$HOME/${FILES[agent]}"\n`);
      const ran = await cordon(scene, scene.args(await vendorOf(agent)), scene.env);
      return JSON.parse(ran.stdout || ran.stderr);
    };
    const claude = await shown('claude');
    expect(claude).toEqual({
      claudeAiOauth: {
        accessToken: expect.stringMatching(/^sk-ant-oat01-[0-9A-Za-z]{80}$/),
        refreshToken: expect.stringMatching(/^sk-ant-ort01-[0-9A-Za-z]{80}$/),
        expiresAt: 1_700_000_000_000,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
    });
    const codex = await shown('codex');
    const [head, claims, signature] = codex.tokens.access_token.split('.');
    expect([head, claims].join('.')).toBe(TOKENS.codex(0).access_token?.split('.').slice(0, 2).join('.'));
    expect(signature).toMatch(/^[0-9A-Za-z]{342}$/);
    expect(codex.tokens.account_id).toBe('acc-0');
    expect(codex).not.toHaveProperty('personal_access_token');
  });

  test.each([
    ['--fs', 'all'],
    ['--write', '.claude'],
    ['--expose', '.claude'],
  ])('is never the real file: %s %s', async (flag, value) => {
    const scene = logInScene('cordon-test', 'claude', '#!/bin/sh\ncat "$HOME/.claude/.credentials.json"\n');
    const place = value === 'all' ? value : join(scene.home, value);
    const ran = await cordon(scene, scene.args(await vendorOf('claude'), flag, place), scene.env);
    expect(ran.code).toBe(125);
    expect(ran.stderr).toContain('a brokered log-in has a file of its own');
  });

  test.each([
    ['in the home itself', ''],
    ['with the home to be read', '--read'],
  ])('is a placeholder %s', async (_, flag) => {
    const scene = logInScene('cordon-test', 'claude', '#!/bin/sh\ncat "$HOME/.claude/.credentials.json"\n');
    const more = flag === '' ? [] : [flag, scene.home];
    const ran = await cordon(scene, scene.args(await vendorOf('claude'), ...more), scene.env);
    expect(ran.stdout, ran.stderr).toMatch(/"accessToken": "sk-ant-oat01-/);
    expect(ran.stdout).not.toContain(TOKENS.claude(0).access_token);
  });

  test('is what explain says, and no rehearsal has a token', async () => {
    const scene = logInScene('cordon-test', 'claude', '#!/bin/sh\ntrue\n');
    const told = await cordon(scene, ['explain', '--agent', 'claude', '--broker', scene.file], scene.env);
    expect(told.stdout, told.stderr).toContain('the log-in of claude with placeholders stands there');
    for (const flags of [['--dry-run'], ['--dry-run', '--json'], ['--plan']]) {
      const ran = await cordon(scene, scene.args(await vendorOf('claude'), ...flags), scene.env);
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stdout + ran.stderr).not.toMatch(/sk-ant-/);
    }
  });

  test('is redacted in what it says where that is asked for', async () => {
    const scene = logInScene('cordon-test', 'claude', '#!/bin/sh\ncat "$HOME/.claude/.credentials.json"\n');
    const ran = await cordon(scene, scene.args(await vendorOf('claude'), '--redact'), scene.env);
    expect(ran.stdout, ran.stderr).toContain('[claude.access_token (placeholder)]');
    expect(ran.stdout).not.toContain('sk-ant-');
  });

  test('comes back to no other launch, whatever the command makes of it', async () => {
    for (const act of ['rm', 'ln -sf /etc/passwd', 'echo planted >']) {
      const at = '"$HOME/.claude/.credentials.json"';
      const scene = logInScene(
        'cordon-test',
        'claude',
        `#!/bin/sh\ngrep -o sk-ant-oat ${at}; ${act} ${at}; touch ~/.claude/x\n`,
      );
      const vendor = await vendorOf('claude');
      for (const _ of [1, 2]) {
        const ran = await cordon(scene, scene.args(vendor), scene.env);
        expect(ran.stdout, `${act} ${ran.stderr}`).toBe('sk-ant-oat\n');
      }
      expect(fileNow(scene)).toEqual(fileOf('claude', 0));
    }
  });

  test('a file that is no log-in stops the start with the reason', async () => {
    const scene = logInScene('cordon-test', 'claude', '#!/bin/sh\ntrue\n');
    for (const text of ['', 'no JSON', '[]', '{}', '{"claudeAiOauth":{"accessToken":3}}']) {
      writeFileSync(scene.file, text);
      const ran = await cordon(scene, scene.args(await vendorOf('claude')), scene.env);
      expect(ran.code, text).toBe(125);
      expect(ran.stderr).toMatch(/the log-in of claude can't be brokered/);
    }
  });
});

describe('a renewal', () => {
  test('of three launches at once spends no token twice', async () => {
    const vendor = await vendorOf('claude');
    const scene = logInScene('cordon-test', 'claude', program('claude'));
    const ran = await Promise.all([1, 2, 3].map(() => cordon(scene, scene.args(vendor), scene.env)));
    const renewed = ran.map(({ stdout }) => saidBy(stdout).find((said) => 'renewed' in said)?.renewed);
    expect(renewed, ran.map(({ stderr }) => stderr).join('')).toEqual([200, 200, 200]);
    expect(vendor.reused).toEqual([]);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(3));
  });

  test('is written down although the command is gone before the answer comes', async () => {
    // Longer than the supervisor waits for a process outside that says nothing.
    const vendor = await vendorOf('claude', (res, tokens) => {
      endAgentOf(scene);
      setTimeout(() => res.end(JSON.stringify({ expires_in: 10, ...tokens })), 4500);
    });
    const scene = logInScene('cordon-test', 'claude', program('claude'));
    const ran = await cordon(scene, scene.args(vendor), scene.env);
    expect(ran.code, ran.stderr).toBe(137);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(1));
  });

  test('that can not be written is said once, and good for the launch', async () => {
    const vendor = await vendorOf('claude');
    const twice = program('claude').replace(
      'exec node',
      'node /tmp/agent.mjs "$HOME/.claude/.credentials.json" claude\nexec node',
    );
    const scene = logInScene('cordon-test', 'claude', twice);
    chmodSync(join(scene.home, '.claude'), 0o555);
    const ran = await cordon(scene, scene.args(vendor), scene.env);
    const said = saidBy(ran.stdout).filter((one) => 'used' in one);
    expect(
      said.map(({ used }) => used),
      ran.stderr,
    ).toEqual([200, 200, 200, 200]);
    expect(ran.stderr.match(/can't be written to .*\.credentials\.json \(EACCES\)/g)).toHaveLength(1);
    expect(fileNow(scene)).toEqual(fileOf('claude', 0));
  });
});

describe('a file that the command could see when it is replaced', () => {
  test.each([
    ['lies in the workspace', (scene: LogInScene) => ['--workspace', join(scene.home, '.claude')]],
    ['is read', (scene: LogInScene) => ['--read', join(scene.home, '.claude')]],
    [
      'lies outside the home, where a link leads',
      (scene: LogInScene) => {
        const elsewhere = openFolder('dotfiles');
        renameSync(join(scene.home, '.claude'), join(elsewhere, 'claude'));
        symlinkSync(join(elsewhere, 'claude'), join(scene.home, '.claude'));
        return [];
      },
    ],
  ])('is not brokered: it %s', async (_, flags) => {
    const vendor = await vendorOf('claude');
    const scene = logInScene('cordon-test', 'claude', program('claude'));
    const given = flags(scene);
    const [command = '', ...rest] = scene.args(vendor);
    const ran = await cordon(scene, [command, ...given, ...rest], scene.env);
    expect(ran.stderr).toContain('a brokered log-in has a file of its own');
    expect([ran.code, vendor.seen]).toEqual([125, []]);
  });
});

describe('a new log-in', () => {
  test('is refused where nobody can be asked', async () => {
    const vendor = await vendorOf('claude');
    const scene = logInScene('cordon-test', 'claude', program('claude', 'log in'));
    const ran = await cordon(scene, scene.args(vendor), scene.env);
    const { renewed, text } = saidBy(ran.stdout)[1];
    expect(renewed).toBe(403);
    expect(text).toContain('this is a new log-in to claude, and nobody agreed to it on the terminal of this launch');
    expect(vendor.seen).toEqual([]);
    expect(recordsOf(scene)).toContainEqual(expect.objectContaining({ verdict: 'refused', rule: 'log-in' }));
  });

  test.each([
    ['the word that is asked for', 'word', 200],
    ['no', 'no', 403],
    ['what the command may have asked for', 'y', 403],
  ])('at a terminal: who types %s', async (_, typed, status) => {
    const vendor = await vendorOf('claude');
    const scene = logInScene('cordon-test', 'claude', program('claude', 'log in'));
    const shown = await shownAtTerminal(scene, vendor, typed);
    expect(shown).toContain('the command wants to log in to claude anew, at platform.claude.com');
    expect(shown).toContain(`{"renewed":${status}`);
    for (const token of realTokens('claude')) expect(shown).not.toContain(token);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(status === 200 ? 1 : 0));
  });
});
