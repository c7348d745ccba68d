import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { begin } from '../../prove/attempt.ts';
import { Lines } from '../../prove/lines.ts';
import { mounting } from '../../prove/scripts.ts';
import { cordonProgram } from '../support/cordon.ts';
import { ended } from '../support/escape-run.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

const ABSENT = ['.zshenv', '.zshrc', '.bash_profile', '.profile', '.bashrc'];

const WAIT_AND_WRITE = (scene: Scene) =>
  `echo ready; read line; for file in ${ABSENT.join(' ')}; do echo ${scene.canary} >> ${scene.home}/$file; done; echo tried`;

/** The folder of the session comes with a log-in and goes with the last log-out, in the middle of whatever runs. */
function runtimeFolder(scene: Scene): readonly string[] {
  const folder = `/run/user/${scene.uid}`;
  const bind = `mount --bind ${scene.folder('runtime', 0o700)} ${folder}`;
  return mounting(scene, `mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p ${folder} && ${bind}`);
}

interface Launch {
  readonly held: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly starter?: readonly string[];
}

function waiting(scene: Scene, { held, env = {}, starter = mounting(scene, 'true') }: Launch) {
  const caller = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: scene.home, ...env };
  const script = ['/bin/sh', '-c', WAIT_AND_WRITE(scene)];
  const argv = held ? [cordonProgram(), 'run', '--', ...script] : script;
  const child = begin({ scene, env: caller, starter, starterIsOurs: true }, { argv });
  child.stdin?.on('error', () => undefined);
  return { ready: new Lines(child).next(), done: ended(child), goOn: () => child.stdin?.end('\n') };
}

/** What two launches could write where nothing was, one after the end of the other, and what stood in the home while both ran. */
async function planted(scene: Scene, one: Launch, other: Launch): Promise<{ files: string[]; made: string[] }> {
  const before = readdirSync(scene.home);
  const older = waiting(scene, one);
  expect(await older.ready).toBe('ready');
  const newer = waiting(scene, other);
  expect(await newer.ready).toBe('ready');
  const made = readdirSync(scene.home).filter((name) => !before.includes(name) && name !== '.local');
  older.goOn();
  await older.done;
  newer.goOn();
  await newer.done;
  const files = ABSENT.filter((file) => {
    const path = scene.path(file);
    return existsSync(path) && readFileSync(path, 'utf8').includes(scene.canary);
  });
  return { files, made };
}

const NOTHING = { files: [], made: [] };

describe.each(USERS)('two launches of %s', (user) => {
  it('with a log-in between them hold back what each of them holds back', async () => {
    const scene = new Scene(user);
    const starter = runtimeFolder(scene);
    expect(await planted(scene, { held: true }, { held: true, starter })).toEqual(NOTHING);
  });

  it.each(['CORDON_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'])('that differ in %s do too', async (name) => {
    const scene = new Scene(user);
    const env = { [name]: scene.folder('other') };
    expect(await planted(scene, { held: true }, { held: true, env })).toEqual(NOTHING);
  });

  it('write what they like where there is no Cordon', async () => {
    expect(await planted(new Scene(user), { held: false }, { held: false })).toMatchObject({ files: ABSENT });
  });
});
