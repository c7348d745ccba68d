import { linkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HIDDEN_IN_HOME } from '../../../src/plan/filesystem/credentials.ts';
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

const PLACES = HIDDEN_IN_HOME.flatMap(({ places }) => places).map((place) => place.replaceAll('*', 'x'));
const isFolderOfAnother = (place: string) => PLACES.some((other) => other.startsWith(`${place}/`));
const SECRET = 'password = CANARY\n';

/** The paths below the home in which the command finds the canary. */
function found(plan: ReturnType<typeof planFor>, place: Place, where = place.home): string[] {
  const { stdout, status, stderr } = runUnder(plan, place, `grep -rl CANARY '${where}' 2>/dev/null; true`);
  if (status !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((path) => path.slice(where.length + 1))
    .sort();
}

describe.each(USERS)('credentials of %s', (user) => {
  it('none of the files on the list can be read, and all of them without the masks', () => {
    const place = makePlace(user);
    const files = PLACES.filter((one) => !isFolderOfAnother(one));
    for (const file of files) makeFile(place, join(place.home, file), SECRET);
    const plan = planFor(place);
    expect(found(plan, place)).toEqual([]);
    expect(
      found(
        without(plan, (path) => path.startsWith(`${place.home}/`)),
        place,
      ),
    ).toEqual(files.toSorted());
  });

  it('nor anything in a folder on the list', () => {
    const place = makePlace(user);
    const folders = HIDDEN_IN_HOME.filter(({ holding }) => holding === undefined).flatMap(({ places }) =>
      places.map((one) => one.replaceAll('*', 'x')),
    );
    const files = folders.filter((one) => !isFolderOfAnother(one)).map((folder) => `${folder}/deep/canary`);
    for (const file of files) makeFile(place, join(place.home, file), SECRET);
    const plan = planFor(place);
    expect(found(plan, place)).toEqual([]);
    expect(
      found(
        without(plan, (path) => path.startsWith(`${place.home}/`)),
        place,
      ),
    ).toEqual(files.toSorted());
  });

  it('a hidden file is empty, a hidden folder too, and neither can be written or removed', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.netrc'), SECRET);
    makeFile(place, join(place.home, '.ssh/id_ed25519'), SECRET);
    const script = `cd ${place.home}; wc -c <.netrc; ls -A .ssh; echo x >>.netrc; echo x >.ssh/config; rm -f .netrc; mv .ssh ssh; mv .netrc n; echo x >n2 && mv n2 .netrc; ls -A`;
    const { stdout, stderr } = runUnder(planFor(place), place, script);
    expect(stdout.split('\n').slice(0, 1)).toEqual(['0']);
    expect(stderr.match(/Read-only|Permission denied|busy/g)?.length).toBe(6);
    expect(
      found(
        without(planFor(place), (path) => path.startsWith(`${place.home}/`)),
        place,
      ),
    ).toEqual(['.netrc', '.ssh/id_ed25519']);
  });

  it('the target of a link is hidden, under the home and elsewhere', () => {
    const place = makePlace(user);
    const elsewhere = join(place.home, '..', 'elsewhere');
    makeFile(place, join(elsewhere, 'ssh/id_rsa'), SECRET);
    makeFile(place, join(place.home, 'dotfiles/netrc'), SECRET);
    symlinkSync(join(elsewhere, 'ssh'), join(place.home, '.ssh'));
    symlinkSync('dotfiles/netrc', join(place.home, '.netrc'));
    const plan = planFor(place);
    expect([...found(plan, place), ...found(plan, place, join(place.home, '..'))]).toEqual([]);
    expect(plan.notes.filter((note) => note.includes('symbolic link'))).toHaveLength(2);
    const open = without(plan, (path) => path.endsWith('/ssh') || path.endsWith('/netrc'));
    expect(found(open, place, join(place.home, '..'))).toEqual(['elsewhere/ssh/id_rsa', 'home/dotfiles/netrc']);
  });

  it('the home of the user database is looked through as well as $HOME, and a home behind a link', () => {
    const place = makePlace(user);
    const other = makePlace(user);
    makeFile(place, join(place.home, '.aws/credentials'), SECRET);
    makeFile(other, join(other.home, '.aws/credentials'), SECRET);
    const link = join(place.home, '..', 'link');
    symlinkSync(place.home, link);
    const plan = planFor({ ...place, home: link }, { passwdHome: other.home });
    expect([...found(plan, place), ...found(plan, place, other.home)]).toEqual([]);
    expect(found(planFor(place), place, other.home)).toEqual(['.aws/credentials']);
  });

  it('folders moved by variables are found', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, 'etc/gh/hosts.yml'), SECRET);
    makeFile(place, join(place.home, 'crates/credentials.toml'), SECRET);
    makeFile(place, join(place.home, 'kube/one'), SECRET);
    makeFile(place, join(place.home, 'kube/two'), SECRET);
    const env = {
      XDG_CONFIG_HOME: join(place.home, 'etc'),
      CARGO_HOME: join(place.home, 'crates'),
      KUBECONFIG: `${place.home}/kube/one:${place.home}/kube/two`,
    };
    expect(found(planFor(place, { env }), place)).toEqual([]);
    expect(found(planFor(place), place)).toHaveLength(4);
  });

  it('settings of package tools stay when there is nothing secret in them', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.config/pip/pip.conf'), '[global]\nindex-url = https://mirror.example/CANARY\n');
    expect(found(planFor(place), place)).toEqual(['.config/pip/pip.conf']);
    makeFile(
      place,
      join(place.home, '.config/pip/pip.conf'),
      '[global]\nindex-url = https://me:CANARY@mirror.example/\n',
    );
    expect(found(planFor(place), place)).toEqual([]);
  });

  it('.env files of other projects are hidden, those of the workspace and mere examples stay', () => {
    const place = makePlace(user);
    for (const file of [
      '.env',
      'src/one/.env',
      'src/one/.env.local',
      'src/.envrc',
      'work/.env',
      'work/app/.env',
      'src/one/.env.example',
    ]) {
      makeFile(place, join(place.home, file), SECRET);
    }
    const stay = ['src/one/.env.example', 'work/.env', 'work/app/.env'];
    expect(found(planFor(place), place)).toEqual(stay);
    expect(found(planFor(place, { cwd: place.home }), place)).toEqual(['src/one/.env.example']);
    expect(
      found(
        without(planFor(place), (path) => path.includes('.env')),
        place,
      ),
    ).toHaveLength(7);
  });

  it('everything else is there and can be written', () => {
    const place = makePlace(user);
    for (const file of ['notes.txt', '.config/app/settings', '.awsx/credentials', '.sshd/x', '.local/share/app/x'])
      makeFile(place, join(place.home, file), 'CANARY');
    const plan = planFor(place);
    expect(found(plan, place)).toHaveLength(5);
    const script = `cd ${place.home} && echo x >>notes.txt && echo x >.config/app/new && mkdir .newtool .config/newtool && mv .awsx .awsy && rm -r .sshd && touch /tmp/x.$$ && rm /tmp/x.$$`;
    expect(runUnder(plan, place, script)).toMatchObject({ status: 0, stderr: '' });
  });

  it('a second name of a hidden file is pointed out', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.netrc'), SECRET);
    linkSync(join(place.home, '.netrc'), join(place.home, 'copy'));
    expect(planFor(place).notes.join()).toContain('hard links');
  });

  it('exposing brings back a folder, or one file of a hidden folder', () => {
    const place = makePlace(user);
    for (const file of ['.aws/credentials', '.aws/config', '.ssh/id_rsa', '.ssh/known_hosts'])
      makeFile(place, join(place.home, file), SECRET);
    const expose = [join(place.home, '.aws'), join(place.home, '.ssh/known_hosts')];
    const plan = planFor(place, { policy: { expose } });
    expect(found(plan, place)).toEqual(['.aws/config', '.aws/credentials', '.ssh/known_hosts']);
    const script = `cd ${place.home} && echo x >>.aws/config && echo x >>.ssh/known_hosts && ! echo x >.ssh/new`;
    expect(runUnder(plan, place, script).status).toBe(0);
  });

  it('the policy can hide, and say read-only, whatever it likes', () => {
    const place = makePlace(user);
    for (const file of ['plans/a', 'plans/open/b', 'docs/c']) makeFile(place, join(place.home, file), SECRET);
    makeFolder(place, join(place.home, 'docs/drafts'));
    const policy = {
      hide: [join(place.home, 'plans')],
      read: [join(place.home, 'docs')],
      expose: [join(place.home, 'plans/open')],
      write: [join(place.home, 'docs/drafts/')],
    };
    const plan = planFor(place, { policy });
    expect(found(plan, place)).toEqual(['docs/c', 'plans/open/b']);
    expect(
      runUnder(plan, place, `cd ${place.home} && ! echo x >>docs/c && echo x >docs/drafts/d && ! mv docs d2`).status,
    ).toBe(0);
  });
});
