import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome } from '../support/cordon.ts';
import { openFolder } from '../support/project.ts';
import { identityOf, USERS } from '../support/users.ts';
import { only, prove } from './support.ts';

const MINE = 'the-value-of-a-real-secret';
const FILES = ['.ssh/id_rsa', '.aws/credentials', '.netrc', '.bashrc', '.config/cordon/vault.age', 'work/.env'];

/** Writes down the environment and the open folder of every start, then goes on. */
function spy(): { launcher: string; notes: () => string } {
  const folder = openFolder('spy');
  chmodSync(folder, 0o1777);
  const launcher = join(folder, 'launcher');
  writeFileSync(
    launcher,
    `#!/bin/sh\n{ env; pwd; cat ~/.ssh/* ~/.aws/* ~/.netrc ~/.bashrc; } > ${folder}/note.$$ 2>/dev/null\nexec "$@"\n`,
  );
  chmodSync(launcher, 0o755);
  const names = () => readdirSync(folder).filter((name) => name.startsWith('note.'));
  return {
    launcher,
    notes: () =>
      names()
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('\n'),
  };
}

describe.each(USERS)('as %s', (user) => {
  it("nothing of the user's own reaches a probe, a launcher or a report", () => {
    const home = freshHome(user);
    const { uid, gid } = identityOf(user);
    for (const name of FILES) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), `export API_TOKEN=${MINE}\n`, { mode: 0o600 });
      for (const path of [dirname(join(home, name)), join(home, name)]) chownSync(path, uid, gid);
    }
    const before = FILES.map((name) => statSync(join(home, name), { bigint: true }).atimeNs);
    const { launcher, notes } = spy();
    const env = { API_TOKEN: MINE, AWS_SECRET_ACCESS_KEY: MINE, SSH_AUTH_SOCK: join(home, '.ssh/id_rsa') };
    const flags = ['--json', '--html', 'proof.html', '--under', launcher, '--set', `KEY=${MINE}`];
    const few = only('files', 'environment', 'refill/login-shell', 'processes/environ-of-parent');
    const { code, stdout, stderr } = prove([...flags, ...few], { user, home, env });
    expect(code, stderr).toBe(0);
    const told = [stdout, stderr, readFileSync(join(home, 'proof.html'), 'utf8'), notes()];
    for (const text of told) expect(text).not.toContain(MINE);
    expect(notes()).toContain('API_TOKEN=canary-');
    expect(notes()).not.toContain(home);
    expect(FILES.map((name) => statSync(join(home, name), { bigint: true }).atimeNs)).toEqual(before);
    // Nor do the stand-ins show up anywhere.
    for (const text of told.slice(0, 3)) expect(text).not.toMatch(/canary-[0-9a-f]{8}/);
  });

  it('works without HOME', () => {
    const { code, stdout } = prove(only('files/ssh'), { user, env: { HOME: '' } });
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 way blocked')]);
  });
});
