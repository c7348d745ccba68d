import { describe, expect, it } from 'vitest';
import { runCordon } from '../support/cordon.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

/** Ways people write it. */
const forms = (secret: string) => [
  `export API_TOKEN=${secret}`,
  `export FIRST=1 API_TOKEN='${secret}' LAST="x"`,
  `API_TOKEN="${secret}"; export API_TOKEN`,
  `declare -x API_TOKEN=${secret}`,
  `typeset -gx API_TOKEN=${secret}`,
  `if true; then export API_TOKEN=${secret}; fi`,
  `export API_TOKEN="first line\n${secret}"`,
  `export API_TOKEN=\\\n${secret}`,
  `# export API_TOKEN=${secret}`,
  `alias deploy='API_TOKEN=${secret} deploy'`,
  `set -a\nAPI_TOKEN=${secret}\nset +a`,
];

/** A start-up file that exports a secret again, in the shell that the command starts itself. */
function plant(scene: Scene, secret = forms(scene.canary)): void {
  scene.file('.profile', '# mine\n. ~/.bashrc\n');
  scene.file('.bashrc', `alias ll='ls -l'\n\n${secret.join('\n')}\n`);
}

wayOut('a login shell that fills the environment again from its start-up files', {
  plant,
  env: ({ canary }) => ({ API_TOKEN: canary }),
  probe: () => ({ sh: 'bash -lc env; bash -ic env 2>/dev/null; cat ~/.bashrc ~/.profile' }),
  off: FS_ALL,
});

describe.each(USERS)('a secret in a start-up file, for %s', (user) => {
  it('is reported by explain with file, line and name, never with its value', () => {
    const scene = new Scene(user);
    plant(scene, [`export API_TOKEN=${scene.canary}`]);
    const options = { user, home: scene.home, cwd: scene.work, env: { API_TOKEN: scene.canary } };
    const { stdout, stderr } = runCordon(['explain'], options);
    expect(stdout).toMatch(/~\/\.bashrc:3\b.*API_TOKEN/);
    expect(stdout + stderr).not.toContain(scene.canary);
  });
});
