import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { USERS } from '../../support/users.ts';
import { ensureOrdinaryUser, makeFile, makeFolder, makePlace, planFor, runUnder, without } from './sandbox.ts';

ensureOrdinaryUser();

describe.each(USERS)('preset all (%s)', (user) => {
  it('is the host as it is', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.ssh/id_rsa'), 'CANARY');
    makeFile(place, join(place.home, '.bashrc'), '');
    const plan = planFor(place, { policy: { preset: 'all' } });
    expect(runUnder(plan, place, `cat ../.ssh/id_rsa && echo x >>../.bashrc && echo x >../.zshrc`)).toMatchObject({
      status: 0,
      stdout: 'CANARY',
    });
  });
});

describe.each(USERS)('preset workspace (%s)', (user) => {
  it('has the system read-only, a home and scratch folders of its own, and the workspace', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, 'notes'), 'CANARY');
    makeFile(place, join(place.workspace, 'file'), 'mine');
    const plan = planFor(place, { policy: { preset: 'workspace' } });
    const script = `cat file; echo x >>file && echo x >new && mkdir '${place.home}/.cache' && echo x >/tmp/scratch && echo x >/var/tmp/scratch
      ls -A '${place.home}'; ls -A /tmp | grep -v '^scratch$\\|^cordon'; (echo x >/usr/bin/x) 2>/dev/null && echo wrote; (echo x >/new) 2>/dev/null && echo wrote
      (echo x >/etc/new) 2>/dev/null && echo wrote; true`;
    expect(runUnder(plan, place, script)).toEqual({ status: 0, stdout: 'mine.cache\nwork\n', stderr: '' });
  });

  it('shows of /etc what programs need, and nothing that is secret', () => {
    const place = makePlace(user);
    const plan = planFor(place, { policy: { preset: 'workspace' } });
    const script = `for f in shadow shadow- gshadow sudoers sudoers.d ssh ssl/private krb5.keytab security; do [ -e /etc/$f ] && echo $f; done
      id -un && getent hosts localhost >/dev/null && python3 -c 'import ssl; ssl.create_default_context()' && git --version >/dev/null && perl -e 1 && date >/dev/null`;
    expect(runUnder(plan, place, script)).toMatchObject({ status: 0, stdout: `${user}\n`, stderr: '' });
  });

  it('finds a workspace behind a link, and hides what is secret in a workspace that is the whole home', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.aws/credentials'), 'CANARY');
    makeFile(place, join(place.workspace, 'file'), 'mine');
    const link = join(place.home, '..', 'link');
    symlinkSync(place.workspace, link);
    const linked = planFor(place, { cwd: link, policy: { preset: 'workspace' } });
    expect(runUnder(linked, place, 'cat file; echo x >>file', link)).toEqual({ status: 0, stdout: 'mine', stderr: '' });
    const whole = planFor(place, { cwd: place.home, policy: { preset: 'workspace' } });
    const { stdout } = runUnder(
      whole,
      place,
      'grep -rl CANARY . 2>/dev/null; echo x >file && cat work/file',
      place.home,
    );
    expect(stdout).toBe('minex\n');
    const open = without(whole, (path) => path.endsWith('/.aws'));
    expect(runUnder(open, place, 'grep -rl CANARY .', place.home).stdout).toBe('./.aws/credentials\n');
  });
});

describe.each(USERS)('preset minimal (%s)', (user) => {
  it('has system paths and what is listed; what is not there is pointed out', () => {
    const place = makePlace(user);
    for (const file of ['in/file', 'out/file', 'private/file', '.ssh/id_rsa', '.ssh/known_hosts'])
      makeFile(place, join(place.home, file), 'x');
    const policy = {
      preset: 'minimal' as const,
      read: [join(place.home, 'in'), join(place.home, '.ssh/known_hosts')],
      write: [join(place.home, 'out')],
      hide: [join(place.home, 'none')],
    };
    const plan = planFor(place, { policy });
    const script = `cd '${place.home}'; find . -type f | sort; (echo x >in/new) 2>/dev/null && echo wrote; echo x >out/new; find / -xdev -name id_rsa 2>/dev/null; true`;
    expect(runUnder(plan, place, script)).toEqual({
      status: 0,
      stdout: './.ssh/known_hosts\n./in/file\n./out/file\n',
      stderr: '',
    });
    expect(plan.notes.join('\n')).toContain(`${join(place.home, 'none')} is not there`);
    expect(plan.notes.join('\n')).toContain('the command starts in an empty folder');
  });

  it('hides credentials in a folder that is listed, and shows one that is named', () => {
    const place = makePlace(user);
    for (const file of ['.aws/credentials', '.kube/config']) makeFile(place, join(place.home, file), 'CANARY');
    const policy = { preset: 'minimal' as const, read: [place.home, join(place.home, '.kube/config')] };
    const plan = planFor(place, { policy });
    expect(runUnder(plan, place, `cd '${place.home}'; grep -rl CANARY . 2>/dev/null`).stdout).toBe('./.kube/config\n');
    const open = without(plan, (path) => path.endsWith('/.aws'));
    expect(runUnder(open, place, `cd '${place.home}'; grep -rl CANARY .aws`).stdout).toBe('.aws/credentials\n');
  });

  it('with the root listed is the host, read-only or not', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, 'file'), 'x');
    const read = planFor(place, { policy: { preset: 'minimal', read: ['/'] } });
    expect(runUnder(read, place, `cat ../file; (echo y >../new) 2>/dev/null && echo wrote; true`).stdout).toBe('x');
    const write = planFor(place, { policy: { preset: 'minimal', write: ['/'] } });
    expect(runUnder(write, place, 'echo y >../new').status).toBe(0);
  });
});

describe.each(USERS)('in every preset (%s)', (user) => {
  it.each(['all', 'guarded', 'workspace', 'minimal'] as const)(
    '%s: /proc, /sys and /dev give nothing away and cannot steer the machine',
    (preset) => {
      const place = makePlace(user);
      const plan = planFor(place, { policy: { preset } });
      const script = `ls /proc | grep -c '^[0-9]*$' | awk '{exit $1 > 12}' || echo processes
      for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/irq/default_smp_affinity /sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/enabled; do [ -e $f ] && (: >>$f) 2>/dev/null && echo "writable $f"; done
      ls -A /dev/shm /dev/mqueue 2>/dev/null | grep -v :; ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|kvm|fuse)'; echo x >/dev/null && head -c1 /dev/urandom >/dev/null && echo x >/dev/shm/x`;
      expect(runUnder(plan, place, script)).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );
});

it('an ordinary user’s sandbox takes another one inside', () => {
  const place = makePlace('cordon-test');
  const nested = 'bwrap --unshare-user --unshare-pid --bind / / --dev /dev --proc /proc echo nested';
  expect(runUnder(planFor(place), place, nested)).toEqual({ status: 0, stdout: 'nested\n', stderr: '' });
});

describe.each(USERS)('odd surroundings (%s)', (user) => {
  it.each(['with space', 'new\nline', 'ünïcödé 文件', "quo'te", '-dash', 'back\\slash'])('a home called %j', (name) => {
    const place = makePlace(user);
    const home = join(place.home, name);
    makeFile(place, join(home, '.ssh/id_rsa'), 'CANARY');
    makeFile(place, join(home, '.bashrc'), '');
    makeFolder(place, join(home, 'work'));
    const odd = { ...place, home, workspace: join(home, 'work') };
    const { status, stdout } = runUnder(
      planFor(odd),
      odd,
      'cat ../.ssh/id_rsa; (echo x >>../.bashrc) 2>/dev/null && echo wrote; echo x >file && pwd',
    );
    expect([status, stdout]).toEqual([0, `${odd.workspace}\n`]);
  });

  it('no home, a home that is not there, a home that is /: the command runs', () => {
    const place = makePlace(user);
    for (const home of [undefined, '/nonexistent', '/']) {
      const plan = planFor(place, { env: home === undefined ? { HOME: '' } : { HOME: home } });
      expect([home, runUnder(plan, place, 'echo x >file && cat file')]).toEqual([
        home,
        { status: 0, stdout: 'x\n', stderr: '' },
      ]);
      if (home !== '/') expect(plan.placeholders).toEqual([]);
    }
  });

  it('working in /, in the home, in a folder of links', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.ssh/id_rsa'), 'CANARY');
    for (const cwd of ['/', place.home]) {
      const { status, stdout } = runUnder(
        planFor(place, { cwd }),
        place,
        `grep -r CANARY '${place.home}' 2>/dev/null; pwd`,
        cwd,
      );
      expect([status, stdout]).toEqual([0, `${cwd}\n`]);
    }
  });

  it('working in a hidden folder starts in an empty one, in a frozen one read-only, and says so', () => {
    const place = makePlace(user);
    makeFile(place, join(place.home, '.ssh/keys/id'), 'CANARY');
    makeFile(place, join(place.home, '.config/fish/config.fish'), 'text');
    const hidden = join(place.home, '.ssh/keys');
    const frozen = join(place.home, '.config/fish');
    const inHidden = planFor(place, { cwd: hidden });
    expect(runUnder(inHidden, place, 'pwd; ls -A', hidden).stdout).toBe(`${hidden}\n`);
    expect(inHidden.notes.join()).toContain('is hidden: the command starts in an empty folder');
    const inFrozen = planFor(place, { cwd: frozen });
    expect(
      runUnder(inFrozen, place, 'cat config.fish; (echo x >new) 2>/dev/null && echo wrote; true', frozen).stdout,
    ).toBe('text');
    expect(inFrozen.notes.join()).toContain('is read-only');
    expect(
      runUnder(planFor(place, { cwd: hidden, policy: { expose: [hidden] } }), place, 'cat id', hidden).stdout,
    ).toBe('CANARY');
  });

  it('working in /dev/shm works', () => {
    const place = makePlace(user);
    const cwd = join('/dev/shm', `cordon-${process.pid}-${user}`);
    mkdirSync(cwd, { mode: 0o777 });
    makeFile(place, join(cwd, 'file'), 'x');
    expect(runUnder(planFor(place, { cwd }), place, 'cat file', cwd).stdout).toBe('x');
    rmSync(cwd, { recursive: true });
  });
});
