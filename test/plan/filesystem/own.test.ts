import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FsPreset } from '../../../src/policy/policy.ts';
import { USERS } from '../../support/users.ts';
import {
  ensureOrdinaryUser,
  makeFile,
  makeFolder,
  makePlace,
  type Place,
  planFor,
  runUnder,
  without,
} from './sandbox.ts';

ensureOrdinaryUser();

const SECRETS = [
  'secrets.yaml',
  'users/ada/secrets.yaml',
  'vault.age',
  'vault/entry',
  'identity.txt',
  'later-version-secret',
];
const POLICIES = ['cordon.toml', 'profiles/web.json'];
const CASES = USERS.flatMap((user) =>
  (['all', 'guarded', 'workspace', 'minimal'] as const).map((preset) => [user, preset] as const),
);

function fill(place: Place, config: string, state: string, bin: string): void {
  for (const name of SECRETS) makeFile(place, join(config, name), 'CANARY');
  for (const name of POLICIES) makeFile(place, join(config, name), 'policy');
  makeFile(place, join(state, 'audit.jsonl'), 'CANARY');
  makeFile(place, join(bin, 'tool'), 'program');
}

const look = (place: Place) => `grep -rl CANARY '${place.home}' 2>/dev/null; true`;

describe.each(CASES)('Cordon’s own files, seen by %s with preset %s', (user, preset: FsPreset) => {
  it('its secrets and records cannot be read, whatever the policy exposes', () => {
    const place = makePlace(user);
    const [config, state, bin] = ['.config/cordon', '.local/state/cordon', '.local/share/cordon/bin'].map((one) =>
      join(place.home, one),
    ) as [string, string, string];
    fill(place, config, state, bin);
    const policy = { preset, write: [place.home], expose: [join(config, 'secrets.yaml'), config, place.home, state] };
    const plan = planFor(place, { policy });
    expect(runUnder(plan, place, look(place)).stdout).toBe('');
    expect(plan.notes.join('\n')).toContain("is Cordon's own and stays as it is");
    const open = runUnder(
      without(plan, (path) => path.includes('cordon/') || path.endsWith('/cordon')),
      place,
      look(place),
    ).stdout;
    expect(open.trim().split('\n')).toHaveLength(SECRETS.length + 1);
  });

  it('its policies and programs can be read and in no way changed', () => {
    const place = makePlace(user);
    const own = join(place.home, 'own');
    fill(place, own, join(own, 'state'), join(own, 'bin'));
    const plan = planFor(place, { env: { CORDON_HOME: own }, policy: { preset, write: [place.home] } });
    const script = `cd '${place.home}'; cat own/cordon.toml own/profiles/web.json own/bin/tool; for f in own/cordon.toml own/profiles/new own/bin/new own/new own/state/new; do (echo x >$f) 2>/dev/null && echo wrote $f; done
      mv own own2 2>/dev/null && echo moved; mv own/profiles p2 2>/dev/null && echo moved; rm -rf own 2>/dev/null; cd ..; mv home home2 2>/dev/null && echo home moved; true`;
    expect(runUnder(plan, place, `cd '${place.home}'; ${script}`).stdout).toBe('policypolicyprogram');
    expect(runUnder(plan, place, look(place)).stdout).toBe('');
    expect(readFileSync(join(own, 'cordon.toml'), 'utf8')).toBe('policy');
  });

  it('absent, they cannot be made', () => {
    const place = makePlace(user);
    const plan = planFor(place, { policy: { preset, write: [place.home] } });
    const folders = ['.config/cordon', '.local/state/cordon', '.local/share/cordon/bin'];
    const script = folders
      .map((one) => `(mkdir -p ${one} && echo x >${one}/planted) 2>/dev/null && echo planted ${one}`)
      .join('\n');
    runUnder(plan, place, `cd '${place.home}'; ${script}; true`);
    for (const folder of folders) expect(existsSync(join(place.home, folder))).toBe(false);
    const open = without(plan, (path) => path.startsWith(`${place.home}/`));
    runUnder(open, place, `cd '${place.home}'; ${script}; true`);
    for (const folder of folders) expect(existsSync(join(place.home, folder, 'planted'))).toBe(true);
  });
});

describe.each(USERS)('links out of Cordon’s folders (%s)', (user) => {
  it('lead to files that are guarded like those in it', () => {
    const place = makePlace(user);
    const config = join(place.home, '.config/cordon');
    for (const [name, text] of [
      ['secrets.yaml', 'CANARY'],
      ['cordon.toml', 'policy'],
      ['web.json', 'policy'],
    ] as const)
      makeFile(place, join(place.home, 'dotfiles', name), text);
    makeFolder(place, join(config, 'profiles'));
    symlinkSync(join(place.home, 'dotfiles/secrets.yaml'), join(config, 'secrets.yaml'));
    symlinkSync(join(place.home, 'dotfiles/cordon.toml'), join(config, 'cordon.toml'));
    symlinkSync(join(place.home, 'dotfiles/web.json'), join(config, 'profiles/web.json'));
    const plan = planFor(place, { policy: { preset: 'all' } });
    const script = `cd '${place.home}'; cat .config/cordon/cordon.toml; for f in dotfiles/cordon.toml dotfiles/web.json; do (echo x >$f) 2>/dev/null && echo wrote; done; mv dotfiles d 2>/dev/null && echo moved; ${look(place)}`;
    expect(runUnder(plan, place, script).stdout).toBe('policy');
  });
});
