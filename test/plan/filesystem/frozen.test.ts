import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FROZEN_IN_HOME } from '../../../src/plan/filesystem/frozen.ts';
import { USERS } from '../../support/users.ts';
import {
  ensureOrdinaryUser,
  makeFile,
  makeFolder,
  makePlace,
  own,
  type Place,
  planFor,
  runUnder,
  without,
} from './sandbox.ts';

ensureOrdinaryUser();

const PLACES = FROZEN_IN_HOME.flatMap(({ places }) => places);

/** Tries everything that would make `path` hold planted code, from outside in; prints the ways that worked. */
function plant(plan: ReturnType<typeof planFor>, place: Place, path: string): string {
  const script = `
    target=$1
    (echo planted >>"$target") 2>/dev/null && echo appended
    (echo planted >"$target/planted") 2>/dev/null && echo filled
    (rm -rf "$target" && echo planted >"$target") 2>/dev/null && echo replaced
    (echo planted >"$HOME/fresh" && mv -fT "$HOME/fresh" "$target") 2>/dev/null && echo renamed-over
    above=$(dirname "$target")
    while [ "$above" != "$HOME" ] && [ "$above" != / ]; do
      (mv -T "$above" "$above.old") 2>/dev/null && mkdir -p "$(dirname "$target")" && echo planted >"$target" && echo moved-away
      above=$(dirname "$above")
    done
    mv -T "$HOME" "$HOME.old" 2>/dev/null && echo home-moved
    true`;
  const { stdout, stderr, status } = runUnder(plan, place, `HOME='${place.home}'; set -- '${path}'; ${script}`);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').join(' ');
}

describe.each(USERS)('start-up places of %s', (user) => {
  it('files and folders on the list can be read, and in no way written', () => {
    const place = makePlace(user);
    const files = PLACES.filter((one) => !PLACES.some((other) => other.path.startsWith(`${one.path}/`)));
    for (const { path, absent } of files) {
      if (absent === 'dir') makeFile(place, join(place.home, path, 'present'), 'before');
      else makeFile(place, join(place.home, path), 'before');
    }
    const paths = files.map(({ path, absent }) => join(place.home, path, absent === 'dir' ? 'present' : ''));
    const list = paths.map((path) => `'${path.replace(/\/$/, '')}'`).join(' ');
    const script = `for f in ${list}; do [ "$(cat "$f")" = before ] || echo "unreadable $f"; (echo x >>"$f") 2>/dev/null && echo "$f"; done; true`;
    const plan = planFor(place);
    expect(runUnder(plan, place, script).stdout).toBe('');
    const open = runUnder(
      without(plan, (path) => path.startsWith(`${place.home}/`)),
      place,
      script,
    ).stdout;
    expect(open.trim().split('\n')).toHaveLength(paths.length);
  });

  it.each(['.bashrc', '.config/git/config', '.local/bin/tool', '.config/systemd/user/x.service', '.gitconfig'])(
    '%s cannot be written, replaced or got round by renaming, and could be without the plan',
    (name) => {
      const place = makePlace(user);
      const path = join(place.home, name);
      makeFile(place, path, 'before');
      const plan = planFor(place);
      expect(plant(plan, place, path)).toBe('');
      expect(readFileSync(path, 'utf8')).toBe('before');
      expect(
        plant(
          without(plan, (covered) => covered.startsWith(place.home)),
          place,
          path,
        ),
      ).not.toBe('');
    },
  );

  it('renaming a folder above is what the mounts on folders prevent', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.config/git/config'), 'before');
    const pinless = without(planFor(place), (path) => path === join(place.home, '.config'));
    expect(plant(pinless, place, join(place.home, '.config/git/config'))).toBe('moved-away');
  });

  it.each([
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.profile',
    '.zshenv',
    '.zshrc',
    '.gitconfig',
    '.config/fish',
    '.config/systemd',
    '.config/autostart',
    '.local/bin',
    'bin',
  ])('an absent %s cannot be made, and nothing is left of the attempt', (name) => {
    const place = makePlace(user);
    const plan = planFor(place);
    const before = readdirSync(place.home);
    expect(plant(plan, place, join(place.home, name))).toBe('');
    expect(readdirSync(place.home).filter((entry) => entry !== 'fresh')).toEqual(before);
    const open = without(
      plan,
      (path) =>
        path === place.home ||
        (path.startsWith(`${place.home}/`) && !path.slice(place.home.length).includes('/cordon')),
    );
    expect(plant(open, place, join(place.home, name))).not.toBe('');
  });

  it('a login shell goes on reading what it would have read', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.profile'), 'echo from-profile\n');
    const login = `HOME='${place.home}' bash --login -c true`;
    expect(runUnder(planFor(place), place, login).stdout).toBe('from-profile\n');
    makeFile(place, join(place.home, '.bash_login'), 'echo from-bash-login\n');
    expect(runUnder(planFor(place), place, login).stdout).toBe('from-bash-login\n');
    makeFile(place, join(place.home, '.bash_profile'), 'echo from-bash-profile\n');
    expect(runUnder(planFor(place), place, login).stdout).toBe('from-bash-profile\n');
  });

  it('folders of PATH are frozen in the home, except in the workspace', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.tools/shims/tool'), 'before');
    makeFile(place, join(place.workspace, 'node_modules/.bin/tool'), 'before');
    const plan = planFor(place, {
      env: { PATH: `${place.home}/.tools/shims:${place.workspace}/node_modules/.bin:${place.home}:/usr/bin` },
    });
    expect(plant(plan, place, join(place.home, '.tools/shims/tool'))).toBe('');
    expect(
      runUnder(plan, place, `echo x >>'${place.workspace}/node_modules/.bin/tool'; echo x >'${place.home}/note'`)
        .stderr,
    ).toBe('');
    expect(plan.notes.join()).toContain('is on PATH and stays writable');
  });

  it('the hooks of the repository around the workspace are frozen, its config is not', () => {
    const place = makePlace(user);
    const git = join(place.workspace, '.git');
    for (const file of ['HEAD', 'config', 'hooks/pre-commit']) makeFile(place, join(git, file), 'before');
    makeFolder(place, join(place.workspace, 'sub/folder'));
    for (const cwd of [place.workspace, join(place.workspace, 'sub/folder')]) {
      const plan = planFor(place, { cwd });
      expect(plant(plan, place, join(git, 'hooks/pre-commit'))).toBe('');
      expect(
        runUnder(plan, place, `echo x >>'${git}/config' && echo x >'${git}/index' && echo x >'${place.workspace}/file'`)
          .status,
      ).toBe(0);
    }
  });

  it('a worktree freezes the hooks it shares', () => {
    const place = makePlace(user);
    const main = join(place.home, 'main/.git');
    for (const file of ['HEAD', 'hooks/pre-commit', 'worktrees/w/HEAD']) makeFile(place, join(main, file), 'before');
    makeFile(place, join(main, 'worktrees/w/commondir'), '../..\n');
    makeFile(place, join(place.workspace, '.git'), `gitdir: ${main}/worktrees/w\n`);
    expect(plant(planFor(place), place, join(main, 'hooks/pre-commit'))).toBe('');
  });

  it('what the global Git configuration points at is frozen too, absent or not', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, 'my/hooks/pre-commit'), 'before');
    makeFile(
      place,
      join(place.home, '.gitconfig'),
      '[core]\n\thooksPath = ~/my/hooks\n[include]\n\tpath = ~/more.gitconfig\n[init]\n\ttemplateDir = "~/tmpl"\n',
    );
    const plan = planFor(place);
    expect(plant(plan, place, join(place.home, 'my/hooks/pre-commit'))).toBe('');
    expect(plant(plan, place, join(place.home, 'more.gitconfig'))).toBe('');
    expect(plant(plan, place, join(place.home, 'tmpl/hooks'))).toBe('');
  });

  it('nothing is made through a link, or in a home that is not the user’s own', () => {
    const place = makePlace(user);
    const elsewhere = join(place.home, '..', 'elsewhere');
    makeFolder(place, elsewhere);
    symlinkSync(elsewhere, join(place.home, '.config'));
    const through = ({ path }: { readonly path: string }) =>
      path.startsWith(`${place.home}/.config`) || path.includes('/elsewhere');
    expect(planFor(place).placeholders.filter(through)).toEqual([]);
    if (user === 'root') return;
    const foreign = makePlace(user);
    own('root', foreign.home);
    expect(planFor(foreign).placeholders.filter(({ path }) => path.startsWith(`${foreign.home}/.`))).toEqual([]);
  });

  it('a home behind a link is guarded all the same', () => {
    const place = makePlace(user);
    const link = join(place.home, '..', 'link');
    symlinkSync(place.home, link);
    const plan = planFor({ ...place, home: link });
    expect(plant(plan, place, join(place.home, '.zshrc'))).toBe('');
    expect(plant(plan, place, join(place.home, '.config/fish'))).toBe('');
  });

  it('exposing a frozen place opens it', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.local/bin/tool'), 'before');
    const plan = planFor(place, { policy: { expose: [join(place.home, '.local/bin')] } });
    expect(runUnder(plan, place, `echo x >'${place.home}/.local/bin/new'`).stderr).toBe('');
  });

  it('two sandboxes at once do not trip over each other’s placeholders', () => {
    const place = makePlace(user);
    const first = planFor(place);
    for (const { kind, path } of first.placeholders) {
      if (kind === 'dir' && !existsSync(path)) mkdirSync(path);
      if (kind === 'dir') own(user, path);
    }
    const second = planFor(place);
    const folders = (plan: typeof first) =>
      plan.placeholders
        .filter(({ kind }) => kind === 'dir')
        .map(({ path }) => path)
        .sort();
    expect(folders(second)).toEqual(folders(first));
  });
});

it('root cannot plant code in /etc, and without capabilities gets no further than others', () => {
  const place = makePlace(USERS[0] ?? 'cordon-test');
  const { stdout } = runUnder(
    planFor(place),
    place,
    '(echo x >/etc/profile.d/cordon-probe.sh) 2>/dev/null && echo planted; (: >>/etc/passwd) 2>/dev/null && echo changed; true',
  );
  expect(stdout).toBe('');
});
