import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CordonError } from '../../src/host/errors.ts';
import { parseConfig } from '../../src/tools/config/read.ts';
import { ToolBox } from './support.ts';

function errorOf(act: () => unknown): CordonError {
  try {
    act();
  } catch (error) {
    return error as CordonError;
  }
  throw new Error('it was taken');
}

/** What needs no engine; what a tool gets inside is in test/containers/tools.test.ts. */
describe('the container of a tool', () => {
  it('is a key beside the others, and makes a shim that Cordon starts, installed here or not', () => {
    const box = new ToolBox();
    expect(box.did('tool', 'config', 'npm-of-image', 'in', 'podman:node:22')).toBe(
      'npm-of-image runs in podman:node:22\n',
    );
    expect(box.policy()).toContain('in = "podman:node:22"');
    expect(box.shim('npm-of-image')).toMatch(/^arg start\narg npm-of-image$/m);
    expect(JSON.parse(box.did('tool', 'list', '--json'))).toMatchObject([
      { tool: 'npm-of-image', in: 'podman:node:22', path: null, runs: 'container' },
    ]);
    box.did('tool', 'config', 'npm-of-image', 'env', 'base', 'none');
    expect(box.did('tool', 'add', 'npm-of-image')).toBe('npm-of-image → podman:node:22\n');
    expect(box.did('tool', 'apply')).toBe('nothing to change\n');
    box.did('tool', 'remove', 'npm-of-image');
    expect(existsSync(box.path('npm-of-image'))).toBe(false);
  });

  it('comes with a file from another machine, and goes with it', () => {
    const box = new ToolBox();
    const file = box.write(join(box.home, 'other.toml'), '[tools.made]\nin = "docker:made:1" # kept\n');
    box.did('tool', 'apply', file);
    expect(JSON.parse(box.did('tool', 'list', '--json'))).toMatchObject([{ tool: 'made', in: 'docker:made:1' }]);
    box.tool('made', '#!/bin/sh\necho here\n');
    box.write(file, '[tools.made]\nenv_base = "none"\n');
    box.did('tool', 'apply', file);
    expect(box.policy()).not.toContain('docker');
    expect(box.start('made').stdout).toBe('here\n');
  });

  it('is let go of where the tool is installed, and otherwise kept', () => {
    const box = new ToolBox();
    box.did('tool', 'config', 'made', 'in', 'podman:made:1');
    const kept = box.cordon(['tool', 'config', 'made', 'in', 'reset']);
    expect(kept).toMatchObject({ code: 127, stderr: expect.stringContaining('not installed') });
    expect(JSON.parse(box.did('tool', 'config', 'made', 'in', '--json'))).toEqual({
      tool: 'made',
      in: 'podman:made:1',
    });
    box.tool('made', '#!/bin/sh\necho here\n');
    expect(box.did('tool', 'config', 'made', 'in', 'reset')).toBe('made runs on this machine\n');
    expect(box.start('made').stdout).toBe('here\n');
  });

  it('never starts what is installed here while a container is asked for', () => {
    const box = new ToolBox();
    box.tool('made', '#!/bin/sh\necho here\n');
    box.did('tool', 'config', 'made', 'env', 'base', 'none');
    expect(box.start('made').stdout).toBe('here\n');
    box.write(box.config, '[tools.made]\nin = "podman:made:1"\n');
    // No engine is in any folder of this PATH.
    const { code, stdout, stderr } = box.start('made', [], { ...box.env, PATH: box.tools });
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('there is no podman on this machine');
  });

  it.each([
    ['in = "lxc:x"', 'expected podman:IMAGE, docker:IMAGE or container:NAME'],
    ['in = "podman:--privileged"', 'expected podman:IMAGE'],
    ['in = 7', 'put it in quotes'],
    ['in = "podman:x"\nfs_base = "all"', 'the filesystem of this machine is not in a container'],
    ['in = "podman:x"\nfs_workspace = "aside"', 'lost with it'],
    ['in = "container:x"\n[tools.made.network]\nallow = ["example.com"]', 'the network is not opened by name'],
  ])('is refused with its line: %j', (text, words) => {
    const { message, hint, where } = errorOf(() => parseConfig('cordon.toml', `[tools.made]\n${text}\n`));
    expect(`${message}; ${hint}`).toContain(words);
    expect(where).toMatch(/^cordon\.toml:2:\d+$/);
  });

  it.each([
    [['made', 'in', 'lxc:x'], "in does not know 'lxc:x'"],
    [['made', 'in', 'podman:x', 'y'], 'in takes one word'],
    [['/opt/made', 'in', 'podman:x'], 'found by its name'],
    [['made', 'in'], 'not installed'],
  ])('refuses the words %j', (words, said) => {
    const box = new ToolBox();
    const { code, stderr } = box.cordon(['tool', 'config', ...words]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(said);
    expect(existsSync(box.config)).toBe(false);
  });

  it('that runs already, and hosts by name, are not said of the same tool', () => {
    const box = new ToolBox();
    box.did('tool', 'config', 'made', 'in', 'container:x');
    const before = box.policy();
    const { code, stderr } = box.cordon(['tool', 'config', 'made', 'net', 'allow', 'example.com']);
    expect({ code, after: box.policy() }).toEqual({ code: 125, after: before });
    expect(stderr).toContain('the network is not opened by name in a container that runs already');
  });
});
