import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cordon } from '../network/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, ONLY_ROOT, USERS } from '../support/users.ts';
import {
  AGENTS,
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

const MARK = 'in-the-vault-of-cordon';

const creds = (scene: LogInScene, ...words: string[]) => cordon(scene, ['creds', ...words], scene.env);
const take = (scene: LogInScene) => creds(scene, 'take', scene.agent);
const give = (scene: LogInScene) => creds(scene, 'give', scene.agent);

/** A home in which it is done already. */
async function takenScene(...args: Parameters<typeof logInScene>): Promise<LogInScene> {
  const scene = logInScene(...args);
  const taken = await take(scene);
  expect(taken.code, taken.stderr).toBe(0);
  return scene;
}

/** All that this home has on the disk, Cordon's own folders too. */
function wholeHome({ home }: LogInScene): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

const vaultFile = ({ home }: LogInScene) => {
  const folder = join(home, '.local/state/cordon/vault/log-ins');
  return join(folder, readdirSync(folder)[0] ?? '');
};

describe.each(USERS)('as %s', (user) => {
  describe.each(AGENTS)('the log-in of %s in the vault', (agent) => {
    test('is used and renewed there, is on the disk nowhere else, and comes back whole', async () => {
      const vendor = await vendorOf(agent);
      const scene = await takenScene(user, agent, program(agent));
      const taken = fileNow(scene);
      expect(Object.values(tokensNow(scene))).toEqual([MARK, MARK]);
      expect(statSync(scene.file).mode & 0o777).toBe(0o600);
      for (const path of [scene.file, vaultFile(scene)]) expect(statSync(path).uid).toBe(identityOf(user).uid);
      expect(statSync(vaultFile(scene)).mode & 0o777).toBe(0o600);

      for (const number of [1, 2]) {
        const ran = await cordon(scene, scene.args(vendor), scene.env);
        const all = ran.stdout + ran.stderr;
        const said = saidBy(ran.stdout).map(({ used, renewed }) => used ?? renewed);
        expect(said, all).toEqual([undefined, 200, 200, 200, undefined]);
        for (const token of [...realTokens(agent), MARK]) expect(all).not.toContain(token);
        expect(vendor.seen.at(-1)?.authorization).toBe(`Bearer ${TOKENS[agent](number).access_token}`);
      }
      expect([vendor.reused, vendor.number()]).toEqual([[], 2]);
      // The agent's file is as it was, and no file of the home has a token, of other services neither.
      expect(fileNow(scene)).toEqual(taken);
      const disk = wholeHome(scene);
      for (const token of [...realTokens(agent), 'token-of-another-service']) expect(disk).not.toContain(token);

      const back = await give(scene);
      expect(back.code, back.stderr).toBe(0);
      expect(tokensNow(scene)).toMatchObject({
        access_token: TOKENS[agent](2).access_token,
        refresh_token: TOKENS[agent](2).refresh_token,
      });
      expect(Object.keys(fileNow(scene))).toEqual(Object.keys(fileOf(agent, 0)));
      expect(JSON.stringify(fileNow(scene)).includes('token-of-another-service')).toBe(agent !== 'gemini');
      expect([statSync(scene.file).mode & 0o777, statSync(scene.file).uid]).toEqual([0o600, identityOf(user).uid]);
      expect(readFileSync(scene.file, 'utf8').includes('\n')).toBe(agent !== 'claude');
      expect((await creds(scene, 'list')).stdout).toContain('the vault is empty');
      // From here on it is as if it had never been there.
      await cordon(scene, scene.args(vendor), scene.env);
      expect(tokensNow(scene).refresh_token).toBe(TOKENS[agent](3).refresh_token);
    });
  });
});

describe('a renewal', () => {
  test('of three launches at once spends no token twice', async () => {
    const vendor = await vendorOf('claude');
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    const ran = await Promise.all([1, 2, 3].map(() => cordon(scene, scene.args(vendor), scene.env)));
    const renewed = ran.map(({ stdout }) => saidBy(stdout).find((said) => 'renewed' in said)?.renewed);
    expect(renewed, ran.map(({ stderr }) => stderr).join('')).toEqual([200, 200, 200]);
    expect(vendor.reused).toEqual([]);
    await give(scene);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(3));
  });

  test('survives kill -9 of the launcher while the server is asked', async () => {
    const vendor = await vendorOf('claude', (res, tokens) => {
      process.kill(launcherOf(scene), 'SIGKILL');
      void launch.then(() => res.end(JSON.stringify({ expires_in: 10, ...tokens })));
    });
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    const launch = cordon(scene, scene.args(vendor), scene.env);
    expect((await launch).code).toBeNull();
    // It waits for its turn, which is after the renewal.
    const back = await give(scene);
    expect(back.code, back.stderr).toBe(0);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(1));
  });

  test('is refused in a launch that has the log-in of the file, once that is in the vault', async () => {
    const vendor = await vendorOf('claude');
    const shared = openFolder('shared');
    chmodSync(shared, 0o777);
    const wait = `\ntouch ${shared}/ready\nuntil [ -e ${shared}/go ]; do sleep 0.05; done\nexec`;
    const scene = logInScene('cordon-test', 'claude', program('claude').replace('\nexec', wait));
    const launch = cordon(scene, scene.args(vendor, '--write', shared), scene.env);
    const ended = launch.then(({ stderr }) => expect.fail(`it ended too early: ${stderr}`));
    while (!existsSync(join(shared, 'ready'))) await Promise.race([ended, new Promise(setImmediate)]);
    ended.catch(() => undefined);
    expect((await take(scene)).code).toBe(0);
    writeFileSync(join(shared, 'go'), '');
    const { stdout, stderr } = await launch;
    expect(saidBy(stdout).find((said) => 'renewed' in said)?.renewed, stderr).toBe(403);
    expect([vendor.number(), vendor.reused]).toEqual([0, []]);
    await give(scene);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(0));
  });
});

/** The process that `cordon` became: the last one before this, from the agent upwards. */
function launcherOf({ file }: LogInScene): number {
  const parents = new Map<number, number>();
  let pid = 0;
  for (const name of readdirSync('/proc').filter((one) => /^[0-9]+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0');
      if (words[1] === '/tmp/agent.mjs' && words[2] === file) pid = Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  while (parents.get(pid) !== process.pid) pid = parents.get(pid) as number;
  return pid;
}

describe('a new log-in that somebody agrees to on the terminal', () => {
  test('is in the vault, and not in the file', async () => {
    const vendor = await vendorOf('claude');
    const scene = await takenScene('cordon-test', 'claude', program('claude', 'log in'));
    const shown = await shownAtTerminal(scene, vendor, 'word');
    expect(shown).toContain('{"renewed":200');
    expect(Object.values(tokensNow(scene))).toEqual([MARK, MARK]);
    await give(scene);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(1));
  });
});

describe('what the vault has', () => {
  test('is used with --broker only, and a launch without it is told so', async () => {
    const scene = await takenScene('cordon-test', 'claude', '#!/bin/sh\ncat "$HOME/.claude/.credentials.json"\n');
    const ran = await cordon(scene, ['run', '--agent', 'claude', '--', 'claude'], scene.env);
    expect(ran.stderr).toContain('the log-in of claude is in the vault, and used with --broker only');
    expect(JSON.parse(ran.stdout).claudeAiOauth).toMatchObject({ accessToken: MARK, refreshToken: MARK });
  });

  test('is opened by no rehearsal', async () => {
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    rmSync(vaultFile(scene));
    const ran = await cordon(scene, scene.args(await vendorOf('claude'), '--dry-run'), scene.env);
    expect(ran.code, ran.stderr).toBe(0);
  });

  test('is refused when a byte of it was changed, and nothing is sent', async () => {
    const vendor = await vendorOf('claude');
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    const data = readFileSync(vaultFile(scene));
    data[data.length - 1] = (data.at(-1) as number) ^ 1;
    writeFileSync(vaultFile(scene), data);
    const ran = await cordon(scene, scene.args(vendor), scene.env);
    expect([ran.code, vendor.seen]).toEqual([125, []]);
    expect(ran.stderr).toContain('what the vault has of it was changed, or belongs to another key');
    expect((await give(scene)).stderr).toContain("can't be opened");
    expect(readFileSync(vaultFile(scene))).toEqual(data);
  });

  test('has a key that is listed, and neither injected, replaced nor removed by accident', async () => {
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    const [{ name, source }] = JSON.parse((await creds(scene, 'list', '--json')).stdout);
    expect(source).toBe('the log-in of claude');
    for (const action of ['rm', 'set'])
      expect((await creds(scene, action, name)).stderr).toContain('is the key of the log-in of claude');
    await give(scene);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(0));
  });

  test('is found again when the file with the marks is gone', async () => {
    const vendor = await vendorOf('claude');
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    rmSync(scene.file);
    const ran = await cordon(scene, scene.args(vendor), scene.env);
    expect(ran.stderr).toContain('cordon creds take claude puts that back');
    expect((await take(scene)).stderr).toContain('in the vault already');
    const again = await cordon(scene, scene.args(vendor), scene.env);
    expect(saidBy(again.stdout).find((said) => 'renewed' in said)?.renewed, again.stderr).toBe(200);
  });

  test('gives way to who logged in outside meanwhile, until that is taken too', async () => {
    const vendor = await vendorOf('claude');
    const scene = await takenScene('cordon-test', 'claude', program('claude'));
    const anew = JSON.stringify(fileOf('claude', 2));
    writeFileSync(scene.file, anew);
    expect((await give(scene)).stderr).toContain('there is another log-in of claude in its file');
    expect(readFileSync(scene.file, 'utf8')).toBe(anew);
    expect((await take(scene)).code).toBe(0);
    await give(scene);
    expect(tokensNow(scene)).toEqual(TOKENS.claude(2));
    expect(vendor.seen).toEqual([]);
  });

  test.each(['', 'no JSON', '{}', '{"claudeAiOauth":{"accessToken":3}}'])('is never made of %j', async (text) => {
    const scene = logInScene('cordon-test', 'claude', program('claude'));
    writeFileSync(scene.file, text);
    const taken = await take(scene);
    expect(taken.code).toBe(125);
    expect(taken.stderr).toContain("the log-in of claude can't be taken");
    expect(readFileSync(scene.file, 'utf8')).toBe(text);
  });

  test('has no log-in of who has none, or of an agent whose log-in is not known', async () => {
    const scene = logInScene('cordon-test', 'claude', program('claude'));
    rmSync(scene.file);
    expect((await take(scene)).stderr).toContain('there is no log-in of claude');
    expect((await give(scene)).stderr).toContain('the vault has no log-in of claude');
    expect((await creds(scene, 'take', 'amp')).stderr).toContain("the log-in of 'amp' is not known");
  });
});

/** Every call that makes, moves or removes a file is once the last one that the program gets to. */
describe.each(ONLY_ROOT)('as %s, killed with kill -9', (user) => {
  test.each([['take'], ['give']] as const)(
    '%s leaves the log-in whole in one place at least',
    async (action) => {
      const tokens = TOKENS.claude(0);
      for (let call = 1; ; call++) {
        const scene = logInScene(user, 'claude', program('claude'));
        if (action === 'give') await take(scene);
        if (!isKilledAt(call, scene, action)) {
          expect(call).toBeGreaterThan(5);
          return;
        }
        // Whoever does it again gets on, and has it in the file in the end.
        if (action === 'take') expect((await take(scene)).code).toBe(0);
        const back = await give(scene);
        const isBack = JSON.stringify(tokensNow(scene)) === JSON.stringify(tokens);
        expect([isBack, call, back.stderr]).toEqual([true, call, back.stderr]);
      }
    },
    600_000,
  );
});

function isKilledAt(call: number, { home, env }: LogInScene, action: string): boolean {
  const calls = 'rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync';
  const words = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:signal=KILL:when=${call}`,
  ];
  try {
    execFileSync('strace', [...words, cordonProgram(), 'creds', action, 'claude'], {
      cwd: home,
      env: { HOME: home, ...env },
      stdio: 'ignore',
    });
    return false;
  } catch {
    return true;
  }
}
