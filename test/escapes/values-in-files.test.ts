import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const PRINT = ['--', '/bin/sh', '-c', 'echo "$PLAIN $INJECTED"'];

function flagsOf({ canary }: Scene): string[] {
  return ['--set', `PLAIN=set-${canary}`, '--credential', 'INJECTED=env://API_TOKEN'];
}

/** In the home, and in what Cordon makes under /tmp. What lies in the folder of the tests is of others, who may mind that it is read. */
const filesWith = ({ canary, home }: Scene) => {
  const search = `grep -rlsF '${canary}'`;
  const made = `find /tmp -maxdepth 1 -name 'cordon-*' ! -name 'cordon-ct-*' -exec ${search} {} +`;
  return execFileSync('/bin/sh', ['-c', `${search} '${home}'; ${made}; true`], { encoding: 'utf8' });
};

describe.each(USERS)('a value, for %s', (user) => {
  const start = () => {
    const scene = new Scene(user);
    const options = { user, home: scene.home, cwd: scene.work, env: { API_TOKEN: scene.canary, OTHER: scene.canary } };
    return { scene, cordon: (...args: string[]) => runCordon(args, options) };
  };

  it('reaches the command and no file: not the record, not a temporary one', () => {
    const { scene, cordon } = start();
    const { stdout, stderr } = cordon('run', ...flagsOf(scene), ...PRINT);
    expect(stdout).toBe(`set-${scene.canary} ${scene.canary}\n`);
    expect(stderr).not.toContain(scene.canary);
    expect(filesWith(scene)).toBe('');
    expect(execFileSync('cat', [`${scene.home}/.local/state/cordon/audit.jsonl`], { encoding: 'utf8' })).toContain(
      'INJECTED',
    );
  });

  it('would be found in a file that a command wrote with it', () => {
    const { scene, cordon } = start();
    expect(cordon('run', ...flagsOf(scene), '--', '/bin/sh', '-c', 'echo "$INJECTED" > ~/work/kept').code).toBe(0);
    expect(filesWith(scene)).toContain('kept');
  });

  it.each([['run', '--dry-run'], ['run', '--dry-run', '--json'], ['explain'], ['explain', '--json']])(
    'is not in what `cordon %s %s` shows',
    (command, ...more) => {
      const { scene, cordon } = start();
      const { code, stdout, stderr } = cordon(command, ...more, ...flagsOf(scene), ...(command === 'run' ? PRINT : []));
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('INJECTED');
      expect(stdout + stderr).not.toContain(scene.canary);
    },
  );

  it.each([
    [(canary: string) => ['--set', canary]],
    [(canary: string) => ['--set', `=${canary}`]],
    [(canary: string) => ['--set', `LD_PRELOAD=${canary}`]],
    [(canary: string) => ['--set', `CORDON_HOME=${canary}`]],
  ])('typed in the wrong place is not repeated by the error: case %#', (flags) => {
    const { scene, cordon } = start();
    const { code, stdout, stderr } = cordon('run', ...flags(scene.canary), '--', 'true');
    expect(code).toBe(125);
    expect(stdout + stderr).toMatch(/^cordon: /m);
    expect(stdout + stderr).not.toContain(scene.canary);
  });
});
