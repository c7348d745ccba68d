import { mkdirSync, mkdtempSync, renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkUnchanged, knownFolder } from '../../src/sessions/workspace.ts';

function folder(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'cordon-known-')), 'skill');
  mkdirSync(path);
  return path;
}

describe('a folder of a session, before every call', () => {
  it('passes as long as it is the one that was looked at', () => {
    const path = folder();
    expect(() => checkUnchanged(knownFolder(path, 'skill'), 'skill')).not.toThrow();
  });

  it('is refused when a link has taken its place', () => {
    const path = folder();
    const known = knownFolder(path, 'skill');
    renameSync(path, `${path}-away`);
    symlinkSync('/etc', path);
    expect(() => checkUnchanged(known, 'skill')).toThrow(/cannot be a skill of a session: it is a symbolic link/);
  });

  it('is refused when another folder has, here or above it', () => {
    const path = folder();
    const known = knownFolder(path, 'workspace');
    renameSync(path, `${path}-away`);
    mkdirSync(path);
    expect(() => checkUnchanged(known, 'workspace')).toThrow(/another folder has taken its place since the session/);
    expect(() => checkUnchanged({ ...known, path: `${path}/gone` }, 'workspace')).toThrow(/is not there/);
  });
});
