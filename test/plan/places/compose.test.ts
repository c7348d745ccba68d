import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../src/host/folders.ts';
import { NO_COPIES } from '../../../src/plan/places/compose.ts';
import { HIDDEN_IN_HOME, HIDDEN_IN_SYSTEM } from '../../../src/plan/places/credentials.ts';
import { pathsOf } from '../../../src/plan/places/facts.ts';
import { SHOWN_IN_HOME } from '../../../src/plan/places/shown.ts';
import { placeLines } from '../../../src/plan/plan.ts';
import { compose, HOME, inputFor, kindsOf, OWN, pathsAt, textCopy } from './support.ts';

const at = (place: string) => `${HOME}/${place}`;

describe('a home that is closed', () => {
  const other = pathsOf(['/home/other']);
  const homes = [...inputFor({}).homes, ...other];
  const [open, closed] = [compose({ input: { homes } }), compose({ input: { homes, closed: other } })];

  it('is a layer of which nothing is shown, with all of its hidden places hidden', () => {
    expect(pathsAt(closed, 'home')).toEqual([HOME, '/home/other']);
    expect(pathsAt(closed, 'hide')).toEqual(pathsAt(open, 'hide'));
    expect(pathsAt(closed, 'hide')).toContain('/home/other/.cargo/credentials.toml');
    expect(pathsAt(open, 'show').some((path) => isWithin(path, '/home/other'))).toBe(true);
    expect(pathsAt(closed, 'show').some((path) => isWithin(path, '/home/other'))).toBe(false);
  });

  it('is no other than any home where the policy reads it', () => {
    const [one, two] = [other, []].map((none) =>
      compose({ policy: { read: ['/home/other'] }, input: { homes, closed: none } }),
    );
    for (const kind of ['layer', 'hide', 'try-read'] as const)
      expect(pathsAt(one ?? [], kind)).toEqual(pathsAt(two ?? [], kind));
  });
});

describe('preset guarded', () => {
  const plan = compose();

  it('is the machine read-only and cut, a home that is a layer, and the workspace', () => {
    expect(plan.slice(0, 2)).toEqual([
      { kind: 'root', from: 'machine' },
      { kind: 'cut', path: '/' },
    ]);
    expect(pathsAt(plan, 'home')).toEqual([HOME]);
    expect(pathsAt(plan, 'private')).toEqual(['/tmp', '/var/tmp']);
    expect(plan).toContainEqual({ kind: 'workspace', path: 'here', mode: 'real' });
    expect(kindsOf(plan).slice(-3)).toEqual(['proc', 'dev', 'mention']);
  });

  it('shows settings, toolchains and caches, and nothing else of the home', () => {
    const shown = pathsAt(plan, 'show');
    for (const place of [
      '.gitconfig',
      '.config/git',
      '.bashrc',
      '.oh-my-zsh',
      '.vimrc',
      '.nvm',
      '.cargo',
      'go',
      '.cache/pip',
    ])
      expect(shown).toContain(at(place));
    for (const place of [
      '.ssh',
      '.npmrc',
      '.config',
      '.local',
      '.local/share',
      '.cache',
      'Documents',
      '.mozilla',
      '.claude',
    ])
      expect(shown).not.toContain(at(place));
    expect(shown.every((path) => path.startsWith(`${HOME}/`))).toBe(true);
    expect(kindsOf(plan)).toContain('show-programs');
  });

  it('hides every known credential, in each home and of the system', () => {
    const other = '/srv/ada';
    const hidden = pathsAt(
      compose({ input: { homes: inputFor({}).homes.concat(inputFor({ env: { HOME: other } }).homes) } }),
      'hide',
    );
    for (const place of HIDDEN_IN_HOME.flatMap(({ places }) => places))
      for (const home of [HOME, other]) expect(hidden).toContain(`${home}/${place}`);
    for (const place of HIDDEN_IN_SYSTEM.flatMap(({ places }) => places)) expect(hidden).toContain(place);
  });

  it('puts copies in place of files, and hides what cannot be copied', () => {
    const files = {
      copies: [textCopy(at('.npmrc'), 'registry=x\n'), textCopy(at('.bashrc'), 'x\n')],
      absent: [textCopy(at('.zshrc'), '').path],
    };
    const operations = compose({ input: { use: { as: 'run', files } } });
    expect(pathsAt(operations, 'data')).toEqual([at('.npmrc'), at('.bashrc')]);
    expect(pathsAt(operations, 'hide')).toContain(at('.zshrc'));
    expect(pathsAt(operations, 'hide')).not.toContain(at('.npmrc'));
    expect(placeLines(operations, 'hidden').filter((line) => line.startsWith('data '))[0]).toBe(
      `data ${at('.npmrc')} ***`,
    );
    expect(placeLines(operations, 'with-values')).toContain(`data ${at('.npmrc')} registry=x\\n`);
    const exposed = compose({ policy: { expose: [at('.npmrc')] }, input: { use: { as: 'run', files } } });
    expect(pathsAt(exposed, 'data')).toEqual([at('.bashrc')]);
  });
});

describe('the list of what is shown', () => {
  const places = SHOWN_IN_HOME.flatMap((group) => group.places);

  it('names nothing twice, and nothing that is hidden', () => {
    expect(new Set(places).size).toBe(places.length);
    const hidden = HIDDEN_IN_HOME.flatMap((group) => group.places).filter((place) => !place.includes('*'));
    expect(places.filter((place) => hidden.some((one) => isWithin(place, one)))).toEqual([]);
  });

  it('shows no folder that all programs share', () => {
    for (const shared of ['.config', '.local', '.local/share', '.local/state', '.cache', '.var', '.var/app'])
      expect(places).not.toContain(shared);
  });
});

describe('what the policy names', () => {
  it('is read, written, hidden or exposed, the outermost first', () => {
    const policy = {
      read: ['/data', at('work/docs')],
      write: [at('work'), '/srv/x/'],
      hide: ['/data/secret'],
      expose: [at('.aws')],
    };
    const plan = compose({ policy });
    expect(plan.filter(({ kind }) => /^(try|expose)-/.test(kind))).toEqual([
      { kind: 'try-read', path: '/data' },
      { kind: 'try-write', path: '/srv/x' },
      { kind: 'try-write', path: at('work') },
      { kind: 'expose-write', path: at('.aws') },
      { kind: 'try-read', path: at('work/docs') },
    ]);
    expect(pathsAt(plan, 'keep-out')).toContain('/data/secret');
    expect(pathsAt(plan, 'hide')).toContain(at('.aws'));
  });

  it('of two sayings about one path the stricter counts, of two about several the inner one', () => {
    const policy = { read: ['/a', '/b'], write: ['/a'], expose: ['/b', '/c/d', '/e'], hide: ['/c', '/e', '/b/x'] };
    const plan = compose({ policy });
    expect(plan.filter(({ kind }) => /^(try|expose)-/.test(kind))).toEqual([
      { kind: 'try-read', path: '/a' },
      { kind: 'expose-read', path: '/b' },
      { kind: 'expose-write', path: '/c/d' },
    ]);
    expect(pathsAt(plan, 'keep-out')).toEqual(expect.arrayContaining(policy.hide));
  });

  it('a file that it hides has no copy in its place', () => {
    const file = textCopy(at('.bashrc'), 'x\n');
    const use = { as: 'run', files: { copies: [file], absent: [] } } as const;
    expect(pathsAt(compose({ input: { use } }), 'data')).toEqual([file.path]);
    const plan = compose({ policy: { hide: [file.path] }, input: { use } });
    expect(pathsAt(plan, 'data')).toEqual([]);
    expect(pathsAt(plan, 'keep-out')).toContain(file.path);
  });

  it.each([[[HOME]], [['/home']], [['/']]])('a home that is read as a whole (%j) shows all but credentials', (read) => {
    const plan = compose({ policy: { read } });
    expect(pathsAt(plan, 'home')).toEqual([]);
    expect(pathsAt(plan, 'layer')).toEqual([HOME]);
    expect(pathsAt(plan, 'try-read')).toEqual([]);
    expect(pathsAt(plan, 'hide')).toContain(at('.ssh'));
  });

  it('a home that is written as a whole is no layer, and its credentials stay hidden', () => {
    const plan = compose({ policy: { write: [HOME] } });
    expect([pathsAt(plan, 'home'), pathsAt(plan, 'layer')]).toEqual([[], []]);
    expect(pathsAt(plan, 'try-write')).toEqual([HOME]);
    expect(pathsAt(plan, 'hide')).toContain(at('.ssh'));
  });

  it('shows settings of an agent, hidden for everyone else', () => {
    const policy = { show: [at('.claude'), at('.claude.json')], expose: [at('.claude/.credentials.json')] };
    const plan = compose({ policy });
    expect(pathsAt(plan, 'show')).toEqual(expect.arrayContaining([at('.claude'), at('.claude.json')]));
    expect(pathsAt(plan, 'hide')).not.toContain(at('.claude.json'));
    expect(pathsAt(plan, 'expose-write')).toEqual([at('.claude/.credentials.json')]);
  });

  it.each([
    [{ mode: 'aside' }, 'workspace here aside'],
    [{ mode: 'read-only' }, 'workspace here read-only'],
    [{ folder: '/srv/p', mode: 'real' }, 'workspace /srv/p real'],
  ] as const)('workspace %j', (workspace, line) => {
    expect(placeLines(compose({ policy: { workspace } }), 'hidden')).toContain(line);
  });
});

describe('where variables say that things lie', () => {
  it('a moved folder of settings in the home follows the same rule', () => {
    const plan = compose({ env: { XDG_CONFIG_HOME: at('etc') } });
    expect(pathsAt(plan, 'show')).toContain(at('etc/git'));
    expect(pathsAt(plan, 'hide')).toContain(at('etc/gh'));
    expect(pathsAt(plan, 'home')).toEqual([HOME]);
  });

  it('outside of every home it is a layer of which only what the policy names is there', () => {
    const plan = compose({ env: { XDG_CONFIG_HOME: '/data/etc' } });
    expect(pathsAt(plan, 'home')).toEqual([HOME, '/data/etc']);
    expect(pathsAt(plan, 'hide')).toContain('/data/etc/gh');
  });

  it('files that variables name are hidden, unless that would leave nothing to work with', () => {
    const env = {
      KUBECONFIG: '/k/one:/k/two',
      KRB5CCNAME: 'FILE:/data/cc',
      HISTFILE: '/dev/null',
      NETRC: '/etc',
      DOCKER_CONFIG: '/',
    };
    const hidden = pathsAt(compose({ env }), 'hide');
    expect(hidden).toEqual(expect.arrayContaining(['/k/one', '/k/two', '/data/cc']));
    for (const path of ['/dev/null', '/etc', '/']) expect(hidden).not.toContain(path);
  });

  it.each(['/', '/tmp', '/usr/sbin', '/var'])('a home that is %s is no layer', (home) => {
    expect(pathsAt(compose({ env: { HOME: home } }), 'home')).toEqual([]);
  });

  it('a home in a private folder is put in place after it', () => {
    const kinds = compose({ env: { HOME: '/tmp/ada' } }).filter(({ kind }) => kind === 'home' || kind === 'private');
    expect(kinds.map(({ kind }) => kind)).toEqual(['private', 'private', 'home']);
  });
});

describe('other presets', () => {
  it('all: the machine as it is, but for Cordon’s own', () => {
    const plan = compose({ policy: { preset: 'all', hide: ['/data'] } });
    expect(kindsOf(plan)).toEqual(['root', 'keep-out', 'keep-read', 'keep-out', 'proc', 'dev']);
    expect(plan[0]).toEqual({ kind: 'root', from: 'writable' });
  });

  it('workspace: a built root, with the programs of the home', () => {
    const plan = compose({ policy: { preset: 'workspace' } });
    expect(plan[0]).toEqual({ kind: 'root', from: 'empty' });
    expect(plan).toContainEqual({ kind: 'link', path: '/bin', text: 'usr/bin' });
    expect(pathsAt(plan, 'try-read')).toEqual(expect.arrayContaining(['/usr', '/etc/passwd']));
    expect(pathsAt(plan, 'show')).toEqual(expect.not.arrayContaining([at('.gitconfig')]));
    expect(pathsAt(plan, 'show')).not.toContain(at('.cache/pip'));
    expect(plan).toContainEqual({ kind: 'workspace', path: 'here', mode: 'real' });
  });

  it.each(['workspace', 'minimal'] as const)('%s: nothing of /etc that a shell reads at its start', (preset) => {
    const read = pathsAt(compose({ policy: { preset } }), 'try-read');
    for (const name of ['profile', 'profile.d', 'bash.bashrc', 'bashrc', 'zsh', 'environment', 'shadow'])
      expect(read).not.toContain(`/etc/${name}`);
  });

  it('minimal: no home and no workspace', () => {
    const kinds = kindsOf(compose({ policy: { preset: 'minimal', read: [HOME] } }));
    expect(kinds).not.toContain('home');
    expect(kinds).not.toContain('workspace');
    expect(pathsAt(compose({ policy: { preset: 'minimal', read: [HOME] } }), 'try-read')).toContain(HOME);
  });
});

describe('a shim', () => {
  const shim = { use: { as: 'shim', files: NO_COPIES } } as const;

  it('with guarded composes the very operations of a run, and has no start-up files', () => {
    const run = compose();
    const later = compose({ input: shim });
    const startup = later.filter((one) => one.kind === 'hide' && one.why === 'start-up files of shells');
    expect(startup).toHaveLength(1);
    expect(pathsAt(startup, 'hide')).toEqual(expect.arrayContaining([at('.bashrc'), '/etc/profile']));
    expect(later.filter((one) => !startup.includes(one))).toEqual(
      run.filter((one) => one.kind !== 'hide' || one.paths.length > 0),
    );
  });

  it('that only filters variables leaves files and devices as they are', () => {
    expect(
      placeLines(compose({ policy: { preset: 'all' }, input: shim }), 'hidden').filter((line) => !line.startsWith('#')),
    ).toEqual([
      'root writable',
      expect.stringMatching(/^keep-read \/opt\/cordon /),
      expect.stringMatching(/^keep-out /),
      'proc',
      'dev',
      'ipc host',
    ]);
  });
});

describe('Cordon’s own files', () => {
  it.each(['all', 'guarded', 'workspace', 'minimal'] as const)('are kept in preset %s', (preset) => {
    const plan = compose({ policy: { preset, write: ['/'], expose: [OWN.state, '/'], show: [OWN.state] } });
    expect(pathsAt(plan, 'keep-out')).toEqual(
      expect.arrayContaining([OWN.state, `${OWN.config}/secrets.yaml`, `${OWN.config}/users`]),
    );
    expect(pathsAt(plan, 'keep-read')).toEqual(
      expect.arrayContaining(['/opt/cordon', OWN.bin, OWN.config, '/srv/p.json']),
    );
  });

  it('programs and policies are shown in a home', () => {
    expect(pathsAt(compose(), 'show')).toEqual(expect.arrayContaining([OWN.bin, `${OWN.config}/cordon.toml`]));
  });
});
