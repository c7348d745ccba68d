import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { begin } from '../../src/prove/attempt.ts';
import { Lines } from '../../src/prove/lines.ts';
import { mounting } from '../../src/prove/scripts.ts';
import { cordonProgram } from '../support/cordon.ts';
import { ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const ABSENT = ['.zshenv', '.zshrc', '.bash_profile', '.profile', '.bashrc'];

const WAIT_AND_WRITE = (canary: string) =>
  `echo ready; read line; for file in ${ABSENT.join(' ')}; do echo ${canary} >> ~/$file; done; echo tried`;

/** The folder of the session comes with a log-in and goes with the last log-out, in the middle of whatever runs. */
function runtimeFolder(scene: Scene): readonly string[] {
  const folder = `/run/user/${scene.uid}`;
  const bind = `mount --bind ${scene.folder('runtime', 0o700)} ${folder}`;
  return mounting(scene, `mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p ${folder} && ${bind}`);
}

function waiting(scene: Scene, starter: readonly string[], held: boolean) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scene.home };
  const script = ['/bin/sh', '-c', WAIT_AND_WRITE(scene.canary)];
  const argv = held ? [cordonProgram(), 'run', '--', ...script] : script;
  const child = begin({ scene, env, starter, starterIsOurs: true }, { argv });
  child.stdin?.on('error', () => undefined);
  return { ready: new Lines(child).next(), done: ended(child), goOn: () => child.stdin?.end('\n') };
}

/** What one launch could write where nothing was, after an older one without a session has ended. */
async function planted(scene: Scene, held: boolean): Promise<string[]> {
  const older = waiting(scene, mounting(scene, 'true'), held);
  expect(await older.ready).toBe('ready');
  const newer = waiting(scene, runtimeFolder(scene), held);
  expect(await newer.ready).toBe('ready');
  older.goOn();
  await older.done;
  newer.goOn();
  await newer.done;
  return ABSENT.filter((file) => {
    const path = scene.path(file);
    return existsSync(path) && readFileSync(path, 'utf8').includes(scene.canary);
  });
}

describe.each(USERS)('a log-in between two launches of %s', (user) => {
  it('does not let the end of one uncover what the other holds back', async () => {
    expect(await planted(new Scene(user), true)).toEqual([]);
  });

  it('matters to none without Cordon', async () => {
    expect(await planted(new Scene(user), false)).toEqual(ABSENT);
  });
});
