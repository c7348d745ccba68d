import { chmodSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { planLines, run, writeShim } from './support.ts';

const sourceLine = (path: string) => {
  const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `source ${path} ${dev} ${ino} ${size} ${mtimeNs}`;
};

interface Made {
  readonly path: string;
  readonly policy: string;
  /** A line for each time it was rebuilt, with the environment it had. */
  readonly log: string;
}

/** A shim whose rebuild writes it anew with the rule `allow NEW`, or does what `rebuild` says. */
function staleShim(rebuild: (made: Made) => string, more: readonly string[] = []): Made {
  const folder = openFolder('stale');
  const made = { path: join(folder, 'tool'), policy: join(folder, 'policy'), log: join(folder, 'log') };
  writeFileSync(made.policy, 'one');
  const script = join(folder, 'rebuild');
  writeFileSync(
    script,
    `#!/bin/sh\nenv | sort | tr '\\n' ' ' >>${made.log}; echo "$@" >>${made.log}\n${rebuild(made)}\n`,
  );
  chmodSync(script, 0o755);
  const lines = [
    ...planLines({ lines: ['allow PATH'] }),
    'append-args',
    `rebuild ${script} a\\sb \\e`,
    'rebuild-keep KEPT',
    'rebuild-keep UNSET',
    ...more,
  ];
  writeShim([...lines, sourceLine(made.policy)], { folder });
  const text = readFileSync(made.path, 'latin1');
  writeFileSync(join(folder, 'fresh'), text.replace('allow PATH', 'allow PATH\nallow NEW').replace(/source .*\n/, ''));
  return made;
}

const renew = ({ path, policy }: Made) =>
  `sed '/^end/d' ${path.replace(/tool$/, 'fresh')} >${path}.new; echo "source ${policy} $(stat -c '%d %i %s' ${policy}) $(python3 -c 'import os,sys;print(os.stat(sys.argv[1]).st_mtime_ns)' ${policy})" >>${path}.new; echo end >>${path}.new; chmod 755 ${path}.new; mv ${path}.new ${path}`;

const ask = (path: string) =>
  run(path, ['-c', 'echo "new $NEW"; cat'], {
    env: { NEW: 'yes', KEPT: '1', SECRET: 's', KEPT_NOT: '2' },
    input: 'typed',
  });

describe('a shim', () => {
  it('is used as it is while its policy is the same', () => {
    const made = staleShim(renew);
    expect(ask(made.path)).toEqual({ code: 0, stdout: 'new \ntyped', stderr: '' });
  });

  it.each([
    ['its content', ({ policy }: Made) => writeFileSync(policy, 'other')],
    ['its time', ({ policy }: Made) => utimesSync(policy, 1, 1)],
    ['the file itself', ({ policy }: Made) => run('/bin/sh', ['-c', 'cp -p "$0" "$0.new"; mv "$0.new" "$0"', policy])],
  ])('is rebuilt once when the policy changed in %s, and then runs by the new one', (_, change) => {
    const made = staleShim((parts) => `${renew(parts)}; echo noise; cat`);
    change(made);
    expect(ask(made.path)).toEqual({ code: 0, stdout: 'new yes\ntyped', stderr: 'noise\n' });
    expect(ask(made.path).stderr).toBe('');
    expect(readFileSync(made.log, 'utf8')).toMatch(/^KEPT=1 (PWD=\S+ )?a b \n$/);
  });

  it.each([
    ['fails', () => 'exit 1', 'could not be applied anew'],
    ['dies', () => 'kill -9 $$', 'could not be applied anew'],
    ['changes nothing', () => 'exit 0', 'still does not fit it after a rebuild'],
    ['leaves rubbish', ({ path }: Made) => `echo rubbish >${path}`, 'was expected here'],
  ])('is refused when its rebuild %s', (_, rebuild, message) => {
    const made = staleShim(rebuild);
    writeFileSync(made.policy, 'two!');
    const { code, stdout, stderr } = ask(made.path);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
  });

  it('is refused when the command that rebuilds it is gone', () => {
    const made = staleShim(renew);
    rmSync(made.path.replace(/tool$/, 'rebuild'));
    writeFileSync(made.policy, 'two!');
    expect(ask(made.path)).toMatchObject({
      code: 125,
      stdout: '',
      stderr: expect.stringMatching(/rebuild is gone: install Cordon again and run `cordon tool apply`/),
    });
  });

  it('is refused when it changed and nothing can rebuild it', () => {
    const policy = join(openFolder('stale'), 'policy');
    writeFileSync(policy, 'one');
    const path = writeShim([...planLines({}), 'append-args', sourceLine(policy)]);
    rmSync(policy);
    expect(ask(path)).toMatchObject({ code: 125, stdout: '', stderr: expect.stringContaining('start it again') });
  });

  const folder = openFolder('expect');
  writeFileSync(join(folder, 'file'), '');
  run('/bin/ln', ['-s', 'file', join(folder, 'link')]);
  it.each([
    ['absent', 'nothing', true],
    ['absent', 'file', false],
    ['file', 'file', true],
    ['file', 'nothing', false],
    ['file', 'link', false],
    ['other', 'link', true],
    ['dir', '.', true],
    ['dir', 'file', false],
  ])('that expects %s at %s: %s', (kind, name, fits) => {
    const path = writeShim([...planLines({}), 'append-args', `expect ${kind} ${folder}/${name}`]);
    expect(ask(path).code).toBe(fits ? 0 : 125);
  });
});
